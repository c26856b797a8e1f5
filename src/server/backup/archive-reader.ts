// Owns reading the archive of a backup, which may be cut short, altered or hostile: every file must be in the manifest, with the same
// size and hash. Writes files only to the folder that the caller has created, and never more bytes than the manifest states.

import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { constants, createZstdDecompress } from "node:zlib";
import { backupReserveBytes, manifestMaxBytes } from "../../calls/operations/backups/limits.ts";
import { syncFolder } from "../../platform/files/durable.ts";
import { RefusedFile, withRegularFile } from "../../platform/files/regular-file.ts";
import { findStrayByte } from "../../platform/files/zstd-frames.ts";
import { type ArchivedFile, type Manifest, manifestName, parseManifest } from "./manifest.ts";
import { blockBytes, paddingOf, readTarHeader } from "./tar.ts";

/** The file is not a backup, is incomplete, or was altered. The message says what to do. */
export class UnusableBackup extends Error {}

export interface UnpackOptions {
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads the whole archive, and writes its files to `folder`, synced to the disk.
 * @throws UnusableBackup; errors of the file system
 */
export async function unpackBackup(
  path: string,
  folder: string,
  { onProgress, signal }: UnpackOptions = {},
): Promise<Manifest> {
  const archive = openArchive(path);
  try {
    const manifest = await readManifest(archive, path);
    const totalBytes = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
    requireSpace(folder, totalBytes);
    let doneBytes = 0;
    const advance = (bytes: number): void => {
      signal?.throwIfAborted();
      doneBytes += bytes;
      onProgress?.(doneBytes, totalBytes);
    };
    const left = new Map(manifest.files.map((file) => [file.name, file]));
    for (;;) {
      const member = readHeader(await archive.read(blockBytes), path);
      if (member === null) break;
      const file = left.get(member.name);
      if (file === undefined || file.bytes !== member.bytes)
        throw unusable(path, `the member ${JSON.stringify(member.name)} is not in its manifest`);
      left.delete(member.name);
      await unpackFile(archive, file, { folder, path, advance });
    }
    const [missing] = left.values();
    if (missing !== undefined) throw unusable(path, `the file ${missing.name} is missing in it`);
    await requireEnd(archive, path);
    return manifest;
  } finally {
    archive.close();
  }
}

/** Tar fills its last record, of this size, with zeros. */
const tarRecordBytes = 20 * blockBytes;

/** After the first block of zeros, only the second one and zeros that fill the record of tar. @throws UnusableBackup */
async function requireEnd(archive: Archive, path: string): Promise<void> {
  await readZeros(archive, path, blockBytes);
  for (let left = tarRecordBytes - blockBytes; ; ) {
    const part = await archive.next(blockBytes);
    if (part === null) break;
    left -= part.length;
    if (left < 0 || !isZero(part)) throw unusable(path, appended);
  }
  if (findStrayByte(path) !== null) throw unusable(path, appended);
}

const appended = "it has bytes behind its end, or between its parts: the backup was altered";

/** What fills a block. @throws UnusableBackup */
async function readZeros(archive: Archive, path: string, bytes: number): Promise<void> {
  if (!isZero(await archive.read(bytes))) throw unusable(path, appended);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

interface Archive {
  /** Exactly so many bytes. @throws UnusableBackup when the archive ends before */
  read(bytes: number): Promise<Buffer>;
  /** At most so many bytes, at least one. @throws UnusableBackup when the archive has ended */
  some(maxBytes: number): Promise<Buffer>;
  /** The same; null: the archive has ended. */
  next(maxBytes: number): Promise<Buffer | null>;
  close(): void;
}

/** The window of a hostile frame must not decide how much memory is used; those of memledger are far smaller. */
const windowLogMax = 27;

function openArchive(path: string): Archive {
  requireZstd(path);
  const source = createReadStream(path);
  const stream = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } });
  source.on("error", (error) => stream.destroy(error));
  source.pipe(stream);
  const chunks = stream[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);

  const next = async (maxBytes: number): Promise<Buffer | null> => {
    while (held.length === 0) {
      const found = await chunks.next().catch((error: unknown) => {
        throw isOfZstd(error) ? unusable(path, "its compressed data is damaged", error) : error;
      });
      if (found.done === true) return null;
      held = found.value;
    }
    const part = held.subarray(0, maxBytes);
    held = held.subarray(part.length);
    return part;
  };
  const some = async (maxBytes: number): Promise<Buffer> => {
    const part = await next(maxBytes);
    if (part === null) throw unusable(path, "it is incomplete: the file was cut short");
    return part;
  };
  return {
    next,
    some,
    async read(bytes) {
      const whole = Buffer.alloc(bytes);
      for (let at = 0; at < bytes; ) {
        const part = await some(bytes - at);
        whole.set(part, at);
        at += part.length;
      }
      return whole;
    },
    close() {
      source.destroy();
      stream.destroy();
    },
  };
}

const zstdMagic = 0xfd2fb528;

/** @throws UnusableBackup */
function requireZstd(path: string): void {
  const magic = Buffer.alloc(4);
  const read = readStart(path, magic);
  if (read === 0) throw unusable(path, "it is empty");
  if (magic.readUInt32LE() !== zstdMagic) throw unusable(path, "it is not compressed with zstd");
}

function readStart(path: string, start: Buffer): number {
  try {
    return withRegularFile(path, (file) => readSync(file, start, 0, start.length, 0));
  } catch (error) {
    if (error instanceof RefusedFile)
      throw new UnusableBackup(`${error.message} ${remedy}`, { cause: error });
    throw error;
  }
}

async function readManifest(archive: Archive, path: string): Promise<Manifest> {
  const member = readHeader(await archive.read(blockBytes), path);
  if (member?.name !== manifestName) throw unusable(path, "it does not begin with a manifest");
  if (member.bytes > manifestMaxBytes) throw unusable(path, "its manifest is too large");
  const text = await archive.read(member.bytes);
  await readZeros(archive, path, paddingOf(member.bytes));
  const manifest = parseManifest(text.toString());
  if (typeof manifest === "string") throw unusable(path, manifest);
  return manifest;
}

function readHeader(block: Uint8Array, path: string) {
  try {
    return readTarHeader(block);
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error), error);
  }
}

interface Unpacking {
  readonly folder: string;
  readonly path: string;
  readonly advance: (bytes: number) => void;
}

/** The name is one that the manifest allows, so it stays in the folder. */
async function unpackFile(
  archive: Archive,
  { name, bytes, sha256 }: ArchivedFile,
  { folder, path, advance }: Unpacking,
): Promise<void> {
  const target = join(folder, name);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const file = openSync(target, "wx", 0o600);
  try {
    for (let left = bytes; left > 0; ) {
      const part = await archive.some(left);
      hash.update(part);
      for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
      left -= part.length;
      advance(part.length);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(target));
  await readZeros(archive, path, paddingOf(bytes));
  if (hash.digest("hex") !== sha256)
    throw unusable(
      path,
      `the file ${name} in it does not match its checksum: the backup was altered or damaged`,
    );
}

function requireSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= bytes + backupReserveBytes) return;
  throw new Error(
    `The files of the backup need ${bytes} bytes, but only ${bavail * bsize} bytes are free in ${folder}. Free disk space, or choose a directory on another disk.`,
  );
}

function isOfZstd(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(ZSTD|Z)_/i.test(String(error.code));
}

const remedy = "Nothing was changed. Copy the file again from where it was stored, or use another backup.";

/** @param fault a clause */
export function unusable(path: string, fault: string, cause?: unknown): UnusableBackup {
  return new UnusableBackup(`${path} is not a usable backup: ${fault}. ${remedy}`, { cause });
}
