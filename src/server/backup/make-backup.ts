// Owns making a backup: the copy of the database and the other files of a data directory in one archive. The command, the schedule and a
// migration all use it. Must never change the data directory, and leaves no file when it fails.

import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { backupReserveBytes } from "../../calls/operations/backups/limits.ts";
import {
  createUnfinished,
  removeUnfinished,
  temporaryPath,
  type Unfinished,
} from "../../calls/operations/backups/unfinished.ts";
import { nameNewFile, syncFolder } from "../../platform/files/durable.ts";
import { explainedAs } from "../../platform/files/system-error.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import { commit, version } from "../../platform/version.ts";
import type { DatabasePlace } from "../data-directory/lost-database.ts";
import { modelCopiesFolder } from "../model/model-copies.ts";
import { type ArchiveSource, createArchiveWriter } from "./archive-writer.ts";
import { type BackupSources, gatherSources } from "./backup-sources.ts";
import { type ArchivedFile, type Manifest, manifestName, printManifest } from "./manifest.ts";

export interface BackupOptions {
  /** Absolute path of the new file; its folder exists. */
  readonly target: string;
  /** Replaces a file at `target`. */
  readonly mayReplace: boolean;
  readonly auditKey: string | null;
  readonly includesSigningKey: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** As of temporaryPath, for a caller that removes the unfinished files of a thread that has ended. Default: a new one. */
  readonly temporary?: string;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  /** Stops the backup; it is rejected with the reason. */
  readonly signal?: AbortSignal;
}

export interface MadeBackup {
  readonly path: string;
  /** Size of the file. */
  readonly bytes: number;
  /** SHA-256 of the file, 64 lower-case hexadecimal characters. */
  readonly sha256: string;
  /** Uncompressed size of what it contains. */
  readonly contentBytes: number;
  readonly manifest: Manifest;
}

/** `target` exists. */
export class BackupExists extends Error {
  constructor(target: string) {
    super(
      `${target} already exists, so it is not overwritten. Choose another name, or add --force to replace it.`,
    );
  }
}

/** @throws BackupExists; Error that says what to do; errors of SQLite and of the file system */
export async function makeBackup(place: DatabasePlace, options: BackupOptions): Promise<MadeBackup> {
  try {
    return await make(place, options);
  } catch (error) {
    throw explainedAs(`The backup cannot be written to ${dirname(options.target)}`, error);
  }
}

async function make(place: DatabasePlace, options: BackupOptions): Promise<MadeBackup> {
  const { target, mayReplace, now } = options;
  const folder = dirname(target);
  removeUnfinished(folder, now);
  requireSpace(folder, place.engine.location);
  using unfinished = createUnfinished(options.temporary ?? temporaryPath(folder, "backup"));
  const progress = createStages(options, unfinished);
  const sources = gatherSources(place.directory.root, options);
  const database = await place.engine.copyTo(unfinished.database, {
    onProgress: progress.copied,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  requireModel(place.directory.root, database.model, sources);
  const files = [...sources.files, fileSource("memledger.db", unfinished.database)];
  const manifest: Manifest = {
    createdAt: toTimestamp(now),
    memledger: { version, commit },
    database,
    auditKey: sources.auditKey,
    includesSigningKey: options.includesSigningKey,
    removedSettings: sources.removedSettings,
    files: await hashSources(files, progress.hashed),
  };
  const bytes = await writeArchive(unfinished.archive, {
    manifest,
    files,
    now,
    onFrame: progress.compressed,
  });
  const sha256 = await hashOf(fileSource("", unfinished.archive), () => options.signal?.throwIfAborted());
  options.signal?.throwIfAborted();
  if (mayReplace) {
    renameSync(unfinished.archive, target);
    syncFolder(folder);
  } else if (!nameNewFile(unfinished.archive, target)) throw new BackupExists(target);
  return { path: target, bytes, sha256, contentBytes: contentBytesOf(files), manifest };
}

/** A change of the model may end after the files were listed, and before the copy of the database begins. */
function requireModel(root: string, model: Manifest["database"]["model"], { files }: BackupSources): void {
  if (model === null || !existsSync(join(modelCopiesFolder(root), model.sha256))) return;
  if (files.some(({ name }) => name.startsWith(`models/${model.sha256}/`))) return;
  throw new Error("The embedding model was changed while the backup was made. Run the backup again.");
}

/** The copy of the database, hashing and compressing count equally. */
function createStages({ onProgress, signal }: BackupOptions, unfinished: Unfinished) {
  const report = (stage: number) => (done: number, total: number) => {
    signal?.throwIfAborted();
    unfinished.touch();
    onProgress?.(stage * total + Math.min(done, total), 3 * total);
  };
  let totalBytes = 0;
  const [copied, hashed, compressed] = [report(0), report(1), report(2)];
  return {
    copied(done: number, total: number) {
      totalBytes = total;
      copied(done, total);
    },
    hashed: (done: number) => hashed(done, totalBytes),
    compressed: (done: number) => compressed(done, totalBytes),
  };
}

/** The disk of the data directory is often the same: a full disk would stop the server. */
function requireSpace(folder: string, database: string): void {
  const bytes = statSync(database, { throwIfNoEntry: false })?.size ?? 0;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= bytes + backupReserveBytes) return;
  throw new Error(
    `A backup needs about ${bytes + backupReserveBytes} bytes, for a copy of the database until it is compressed, but only ${bavail * bsize} bytes are free in ${folder}. Free disk space, or choose a folder on another disk.`,
  );
}

function fileSource(name: string, path: string): ArchiveSource {
  return { name, path, bytes: statSync(path).size };
}

function contentBytesOf(files: readonly ArchiveSource[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function hashSources(
  files: readonly ArchiveSource[],
  onBytes: (done: number) => void,
): Promise<readonly ArchivedFile[]> {
  const hashed: ArchivedFile[] = [];
  let done = 0;
  for (const source of files) {
    const sha256 = await hashOf(source, (bytes) => {
      done += bytes;
      onBytes(done);
    });
    hashed.push({ name: source.name, bytes: source.bytes, sha256 });
  }
  return hashed;
}

async function hashOf(source: ArchiveSource, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash("sha256");
  if ("content" in source) hash.update(source.content);
  else if (source.bytes > 0) {
    for await (const chunk of createReadStream(source.path, {
      end: source.bytes - 1,
      highWaterMark: 1 << 20,
    })) {
      hash.update(chunk);
      onBytes(chunk.length);
    }
  }
  return hash.digest("hex");
}

interface ArchiveContent {
  readonly manifest: Manifest;
  readonly files: readonly ArchiveSource[];
  readonly now: number;
  readonly onFrame: (done: number) => void;
}

/** @returns the size of the file, which is synced to the disk */
async function writeArchive(
  path: string,
  { manifest, files, now, onFrame }: ArchiveContent,
): Promise<number> {
  const file = openSync(path, "wx", 0o600);
  try {
    const archive = createArchiveWriter(file, now, onFrame);
    const content = Buffer.from(printManifest(manifest));
    await archive.add({ name: manifestName, bytes: content.length, content });
    for (const source of files) await archive.add(source);
    const bytes = archive.end();
    fsyncSync(file);
    return bytes;
  } finally {
    closeSync(file);
  }
}
