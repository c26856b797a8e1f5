// Packs files into archives: tar.gz, zip, and the ar format of Debian packages. The same files give the same bytes: order, owner, mode
// and time come from the caller, and nothing from this machine.

import { pack } from "tar-stream";
import { ZipFile } from "yazl";

/** A file, or a folder if `bytes` is null. `path` has no slash at the beginning or the end; `mode` has the permissions only. */
export type Entry = Readonly<{ path: string; mode: number; bytes: Uint8Array | null }>;

export const programMode = 0o755;
export const fileMode = 0o644;

export function file(path: string, content: string | Uint8Array, mode = fileMode): Entry {
  return { path, mode, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

/** The folders above the entries, each before what is in it, then the entries. */
export function withFolders(entries: readonly Entry[]): Entry[] {
  const folders = new Set<string>();
  for (const { path } of entries) {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) folders.add(names.slice(0, depth).join("/"));
  }
  const added = [...folders].toSorted().map((path) => ({ path, mode: programMode, bytes: null }));
  return [...added, ...entries];
}

/** @param seconds time of every entry, since 1970; @param prefix "./" in Debian packages */
export async function tarGz(entries: readonly Entry[], seconds: number, prefix = ""): Promise<Uint8Array> {
  const archive = pack();
  const collected = collect(archive);
  for (const { path, mode, bytes } of entries) {
    const type = bytes === null ? "directory" : "file";
    const name = `${prefix}${path}${bytes === null && path !== "" ? "/" : ""}`;
    const header = { name, mode, type, mtime: new Date(seconds * 1000), uid: 0, gid: 0 } as const;
    archive.entry({ ...header, uname: "root", gname: "root" }, Buffer.from(bytes ?? []));
  }
  archive.finalize();
  return gzip(await collected);
}

/** libdeflate has no variants for processors, and writes no time. */
export function gzip(bytes: Uint8Array<ArrayBuffer>, level: 6 | 9 = 6): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(bytes, { library: "libdeflate", level });
}

export async function zip(entries: readonly Entry[], seconds: number): Promise<Uint8Array> {
  const archive = new ZipFile();
  const collected = collect(archive.outputStream);
  for (const { path, mode, bytes } of entries) {
    const options = { mtime: localTime(seconds), mode: mode | 0o100000, forceDosTimestamp: true };
    if (bytes !== null) archive.addBuffer(Buffer.from(bytes), path, options);
  }
  archive.end();
  return collected;
}

/** Zip stores the digits of a local time. Those of UTC must be stored on every machine. */
function localTime(seconds: number): Date {
  const time = new Date(seconds * 1000);
  return new Date(
    time.getUTCFullYear(),
    time.getUTCMonth(),
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
  );
}

/** The archive format of Debian packages (ar): a header of 60 bytes for each member, padded to an even length. */
export function ar(
  members: readonly Readonly<{ name: string; bytes: Uint8Array }>[],
  seconds: number,
): Uint8Array {
  const chunks: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const { name, bytes } of members) {
    const fields: readonly (readonly [string, number])[] = [
      [name, 16],
      [String(seconds), 12],
      ["0", 6],
      ["0", 6],
      ["100644", 8],
      [String(bytes.length), 10],
    ];
    const header = `${fields.map(([text, width]) => text.padEnd(width)).join("")}\`\n`;
    chunks.push(Buffer.from(header), bytes, Buffer.from(bytes.length % 2 === 1 ? "\n" : ""));
  }
  return Buffer.concat(chunks);
}

async function collect(stream: AsyncIterable<unknown>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
