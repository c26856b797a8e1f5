// Owns the entries of what the user has named: standard input, a file, or a directory of notes. Chooses the format.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type DetectedFormat, detectFormat, type FormatName, formats } from "./formats/formats.ts";
import type { PlacedEntry } from "./import-memories.ts";
import { isDirectory, openFile, openStandardInput, type Source, UnfitSource } from "./source.ts";

export interface OpenedImport {
  /** Null: the source is empty. */
  readonly format: DetectedFormat | null;
  readonly entries: AsyncIterable<PlacedEntry>;
  /** Size of a regular file; null: not known. */
  readonly bytes: number | null;
  /** Bytes that were read. */
  readBytes(): number;
  /** Names of files that were changed while they were read. */
  changedFiles(): readonly string[];
  /** To be called when the entries are not read to their end. */
  close(): void;
}

/** The format of directories. */
const directoryFormat = "basic-memory";

/**
 * @param path a file, a directory, or `-` for standard input
 * @param named the format; null: it is detected
 * @throws UnfitSource, and errors of the operating system
 */
export async function openImport(path: string, named: FormatName | null): Promise<OpenedImport> {
  if (path !== "-" && isDirectory(path)) return openDirectory(path, named);
  const source = path === "-" ? await openStandardInput() : await openFile(path);
  const format = named === null ? await detectFormat(source) : { name: named, reason: "was named" };
  const counted = countBytes(source);
  return {
    format,
    entries: format === null ? noEntries() : placed(counted.source, format.name),
    bytes: source.bytes,
    readBytes: counted.readBytes,
    changedFiles: () => (source.hasChanged() ? [source.name] : []),
    close: source.close,
  };
}

function openDirectory(path: string, named: FormatName | null): OpenedImport {
  if (named !== null && named !== directoryFormat) {
    throw new UnfitSource(
      `${path} is a directory, and the format ${named} reads files. Name a file; only the format ${directoryFormat} reads directories.`,
    );
  }
  const changed: string[] = [];
  const files = notesIn(path);
  if (files.length === 0)
    throw new UnfitSource(`${path} contains no Markdown files. Name the directory with the notes.`);
  return {
    format: { name: directoryFormat, reason: "is a directory" },
    entries: (async function* () {
      for (const file of files) {
        const source = await openFile(file);
        yield* placed(source, directoryFormat);
        if (source.hasChanged()) changed.push(file);
      }
    })(),
    bytes: null,
    readBytes: () => 0,
    changedFiles: () => changed,
    close() {},
  };
}

/** Markdown files, in the order of their names. Not those in hidden folders, such as .obsidian, and no links. */
function notesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return notesIn(path);
      return entry.isFile() && /\.md$/i.test(entry.name) ? [path] : [];
    });
}

async function* placed(source: Source, format: FormatName): AsyncGenerator<PlacedEntry> {
  for await (const entry of formats[format].read(source)) yield { ...entry, file: source.name };
}

async function* noEntries(): AsyncGenerator<PlacedEntry> {}

function countBytes(source: Source): { readonly source: Source; readonly readBytes: () => number } {
  let bytes = 0;
  const stream = (async function* () {
    for await (const chunk of source.stream) {
      bytes += chunk.length;
      yield chunk;
    }
  })();
  return { source: { ...source, stream }, readBytes: () => bytes };
}
