// Owns a file that is being exported to: it appears under its name only when it is whole and on the disk. Never keeps more of it
// in memory than one piece.

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
import { syncFolder, writeWhole } from "../files/durable.ts";
import { exportReserveBytes } from "../limits.ts";
import { manifestPath } from "./export.ts";

export const partialSuffix = ".part";

/** So much gathers before it is sent to the disk: one long fsync at the end would hold up the commits of everybody. */
const syncEveryBytes = 32 * 1024 * 1024;
const sendToDisk = promisify(fdatasync);

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

  /** Begins anew where a part was left by somebody else. @throws errors of the file system, as all of its methods do. */
  constructor(path: string, { reserveBytes = exportReserveBytes } = {}) {
    this.#reserveBytes = reserveBytes;
    this.#path = path;
    this.#partial = `${path}${partialSuffix}`;
    this.#file = openSync(this.#partial, "w", 0o600);
  }

  append(text: string | Uint8Array): void {
    const piece = typeof text === "string" ? Buffer.from(text) : text;
    this.#leaveSpace(piece.length);
    this.#hash.update(piece);
    for (let written = 0; written < piece.length; ) {
      written += writeSync(this.#file, piece, written, piece.length - written);
    }
    this.#bytes += piece.length;
    this.#unsyncedBytes += piece.length;
  }

  /** Sends to the disk what has gathered, while more is appended; waits when the disk does not keep up. */
  async flush(): Promise<void> {
    if (this.#unsyncedBytes < syncEveryBytes) return;
    await this.#syncing;
    this.#unsyncedBytes = 0;
    this.#syncing = sendToDisk(this.#file);
    // Whoever awaits it next hears of a failure.
    this.#syncing.catch(() => undefined);
  }

  /** The file gets its name, and `toManifest` tells what to write beside it. */
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

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.#syncing.catch(() => undefined);
    this.#close();
    for (const path of [this.#partial, this.#path, manifestPath(this.#path)]) rmSync(path, { force: true });
  }

  /** The database needs space more than an export does. */
  #leaveSpace(bytes: number): void {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    if (bavail * bsize - bytes >= this.#reserveBytes) return;
    const message = `less than ${this.#reserveBytes} bytes of disk space would be left`;
    throw Object.assign(new Error(message), { code: "ENOSPC" });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}
