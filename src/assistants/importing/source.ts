// Owns opening what is imported: a file, a pipe, or standard input. Refuses at once what cannot be text. Must never read more than a head
// of it before somebody asks.

import { createReadStream, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { headMaxBytes, headWaitMs } from "./limits.ts";

/** An opened file or stream. */
export interface Source {
  /** As the user has named it, for messages. */
  readonly name: string;
  /** The beginning, as text. Parts that are not UTF-8 are replaced. */
  readonly head: string;
  /** Everything, with the head. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** Null: it is not a regular file. */
  readonly bytes: number | null;
  /** Whether the file is another one than at the beginning. */
  hasChanged(): boolean;
  /** Stops reading, so that a pipe that is silent does not keep the process alive. */
  close(): void;
}

/** A source that cannot be imported at all. */
export class RefusedSource extends Error {}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** @throws RefusedSource, and errors of the operating system */
export async function openFile(path: string, name = path): Promise<Source> {
  const file = openSync(path, "r");
  const before = fstatSync(file);
  if (before.isDirectory())
    throw new RefusedSource(
      `${name} is a directory. Name a file; only the formats basic-memory and markdown read directories.`,
    );
  const stream = createReadStream(path, { fd: file, highWaterMark: headMaxBytes });
  const source = await openStream(stream, name, () => void stream.destroy());
  if (!before.isFile()) return source;
  const hasChanged = () => isOther(before, statSync(path, { throwIfNoEntry: false }));
  return { ...source, bytes: before.size, hasChanged };
}

/** @throws RefusedSource */
export function openStandardInput(): Promise<Source> {
  const reader = Bun.stdin.stream().getReader();
  const chunks = (async function* () {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  })();
  return openStream(chunks, "standard input", () => void reader.cancel().catch(() => {}));
}

/** @throws RefusedSource */
export async function openStream(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  close = () => {},
): Promise<Source> {
  const iterator = stream[Symbol.asyncIterator]();
  const { chunks, pending } = await readHead(iterator);
  const head = Buffer.concat(chunks).subarray(0, headMaxBytes);
  refuseOtherFiles(head, name);
  return {
    name,
    head: new TextDecoder().decode(head),
    bytes: null,
    hasChanged: () => false,
    close,
    stream: (async function* () {
      yield* chunks;
      for (let next = await (pending ?? iterator.next()); next.done !== true; next = await iterator.next()) {
        yield next.value;
      }
    })(),
  };
}

type Next = Promise<IteratorResult<Uint8Array>>;

/** Reads until there is enough for the detection. A pipe that has sent a line and is silent then is not waited for. */
async function readHead(iterator: AsyncIterator<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let pending: Next | null = null;
  while (bytes < headMaxBytes) {
    pending ??= iterator.next();
    const hasLine = chunks.some((chunk) => chunk.includes(0x0a));
    const next = await (hasLine ? Promise.race([pending, silence()]) : pending);
    if (next === null) return { chunks, pending };
    pending = null;
    if (next.done === true) break;
    // A copy, because the stream may use its buffer again.
    chunks.push(next.value.slice());
    bytes += next.value.length;
  }
  return { chunks, pending: null };
}

/** Does not keep the process alive. */
function silence(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), headWaitMs).unref());
}

const signatures: readonly (readonly [readonly number[], string])[] = [
  [[0x1f, 0x8b], "is compressed with gzip. Decompress it: gunzip -c FILE | memledger memory import -"],
  [
    [0x50, 0x4b, 0x03, 0x04],
    "is a ZIP archive. Unpack it, and import the file in it that has the memories: memories.json of OpenMemory or Claude.",
  ],
  [
    [0x28, 0xb5, 0x2f, 0xfd],
    "is compressed with zstd. Decompress it: zstd -dc FILE | memledger memory import -",
  ],
  [
    [...Buffer.from("SQLite format 3\0")],
    "is a SQLite database. Export the memories with the program that wrote it, or write the rows of the table that has them as JSON, with sqlite3 -json.",
  ],
  [[0xff, 0xfe], "is in UTF-16. Convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE"],
  [[0xfe, 0xff], "is in UTF-16. Convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE"],
];

/** @throws RefusedSource for a file of another kind, because each of its lines would be a fault */
function refuseOtherFiles(head: Uint8Array, name: string): void {
  const found = signatures.find(([bytes]) => bytes.every((byte, at) => head[at] === byte));
  if (found !== undefined) throw new RefusedSource(`${name} ${found[1]}`);
}

function isOther(before: Stats, now: Stats | undefined): boolean {
  return (
    now === undefined || now.size !== before.size || now.mtimeMs !== before.mtimeMs || now.ino !== before.ino
  );
}
