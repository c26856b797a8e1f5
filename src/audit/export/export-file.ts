// Owns writing the file of an export: the file gets its name only when it is complete and synced to disk. Must never hold more than one
// chunk of it in memory.

import { createHash } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { syncFolder, writeWhole } from "../../platform/files/durable.ts";
import { exportReserveBytes } from "../../platform/limits.ts";
import { manifestPath } from "./export.ts";

export const partialSuffix = ".part";

/** The file is synced after so many bytes: one long fsync at the end would delay the commits of all calls. */
const syncEveryBytes = 32 * 1024 * 1024;
const syncData = promisify(fdatasync);

export interface FileFacts {
  readonly bytes: number;
  readonly sha256: string;
}

export class ExportFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #file: number;
  readonly #reserveBytes: number;
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #unsyncedBytes = 0;
  #syncing: Promise<void> = Promise.resolve();
  #isOpen = true;

  /** Overwrites a partial file of an earlier process. @throws errors of the file system, as all methods do */
  constructor(path: string, { reserveBytes = exportReserveBytes } = {}) {
    this.#reserveBytes = reserveBytes;
    this.#path = path;
    this.#partial = `${path}${partialSuffix}`;
    this.#file = openSync(this.#partial, "w", 0o600);
  }

  append(text: string | Uint8Array): void {
    const chunk = typeof text === "string" ? Buffer.from(text) : text;
    this.#reserveSpace(chunk.length);
    this.#hash.update(chunk);
    for (let written = 0; written < chunk.length; ) {
      written += writeSync(this.#file, chunk, written, chunk.length - written);
    }
    this.#bytes += chunk.length;
    this.#unsyncedBytes += chunk.length;
  }

  /** Syncs the appended bytes in the background; waits if the previous sync has not finished. */
  async flush(): Promise<void> {
    if (this.#unsyncedBytes < syncEveryBytes) return;
    await this.#syncing;
    this.#unsyncedBytes = 0;
    this.#syncing = syncData(this.#file);
    // The next caller that awaits it receives the error.
    this.#syncing.catch(() => undefined);
  }

  /** Syncs the file, writes its manifest and gives the file its name. */
  async finish(toManifest: (facts: FileFacts) => string): Promise<FileFacts> {
    await this.#syncing;
    const facts = { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
    fsyncSync(this.#file);
    this.#close();
    writeWhole(manifestPath(this.#path), toManifest(facts));
    renameSync(this.#partial, this.#path);
    syncFolder(dirname(this.#path));
    return facts;
  }

  /** Deletes the file, its partial file and its manifest. */
  async abandon(): Promise<void> {
    await this.#syncing.catch(() => undefined);
    this.#close();
    for (const path of [this.#partial, this.#path, manifestPath(this.#path)]) rmSync(path, { force: true });
  }

  /** Leaves disk space for the database, whose writes are more important. */
  #reserveSpace(bytes: number): void {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize - bytes >= this.#reserveBytes) return;
    const message = `less than ${this.#reserveBytes} bytes of disk space would remain`;
    throw Object.assign(new Error(message), { code: "ENOSPC" });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}
