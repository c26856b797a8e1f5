// Owns the entries of what the user has named: standard input, a file, or a directory of notes. Chooses the format.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "./entry.ts";
import type { FieldMap } from "./field-map.ts";
import { detectFormat, type FormatName, formats } from "./formats/formats.ts";
import type { PlacedEntry } from "./import-memories.ts";
import { openMapped } from "./mapped-source.ts";
import { isDirectory, openFile, openStandardInput, RefusedSource, type Source } from "./source.ts";

export interface OpenedImport {
  /** `reason` completes "it ..."; null: the source is empty. */
  readonly format: { readonly name: string; readonly reason: string } | null;
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

/** The formats of the notes in a directory; the first one that fits is that of a note. */
const noteFormats = ["basic-memory", "markdown"] as const;
type NoteFormat = (typeof noteFormats)[number];

/**
 * @param path a file, a directory, or `-` for standard input
 * @param named the format; null: it is detected
 * @param map how the fields of any JSON Lines or CSV are read; null: it is in a format
 * @throws RefusedSource, and errors of the operating system
 */
export async function openImport(
  path: string,
  named: FormatName | null,
  map: FieldMap | null = null,
): Promise<OpenedImport> {
  if (path !== "-" && isDirectory(path)) return openDirectory(path, map === null ? named : "map");
  const source = path === "-" ? await openStandardInput() : await openFile(path);
  const counted = countBytes(source);
  const { format, entries } = await openEntries(counted.source, named, map);
  return {
    format,
    entries: placed(entries, source.name),
    bytes: source.bytes,
    readBytes: counted.readBytes,
    changedFiles: () => (source.hasChanged() ? [source.name] : []),
    close: source.close,
  };
}

async function openEntries(
  source: Source,
  named: FormatName | null,
  map: FieldMap | null,
): Promise<Pick<OpenedImport, "format"> & { readonly entries: AsyncIterable<Entry> }> {
  if (map !== null && source.head.trim() !== "") {
    const { reason, entries } = await openMapped(source, map);
    return { format: { name: "map", reason }, entries };
  }
  const format = named === null ? await detectFormat(source) : { name: named, reason: "was named" };
  return { format, entries: format === null ? noEntries() : formats[format.name].read(source) };
}

function openDirectory(path: string, named: FormatName | "map" | null): OpenedImport {
  const wanted = noteFormats.find((name) => name === named);
  if (named !== null && wanted === undefined) {
    const format = named === "map" ? "--map" : `the format ${named}`;
    throw new RefusedSource(
      `${path} is a directory, and ${format} reads files. Name a file; only the formats ${noteFormats.join(" and ")} read directories.`,
    );
  }
  const changed: string[] = [];
  const files = notesIn(path);
  if (files.length === 0)
    throw new RefusedSource(`${path} contains no Markdown files. Name the directory with the notes.`);
  return {
    format: { name: wanted ?? noteFormats.join(" or "), reason: "is a directory" },
    entries: (async function* () {
      for (const file of files) {
        const source = await openFile(file);
        yield* placed(formats[wanted ?? formatOfNote(source)].read(source), file);
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

function formatOfNote({ head }: Source): NoteFormat {
  return (
    noteFormats.find((name) => formats[name].detect({ text: head, record: null }) !== null) ?? "markdown"
  );
}

async function* placed(entries: AsyncIterable<Entry>, file: string): AsyncGenerator<PlacedEntry> {
  for await (const entry of entries) yield { ...entry, file };
}

async function* noEntries(): AsyncGenerator<Entry> {}

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
