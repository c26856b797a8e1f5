// Owns a file that is being exported to: it appears under its name only when it is whole and on the disk. Never keeps more of it
// in memory than one piece.

import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder, writeWhole } from "../durable.ts";
import { manifestPath } from "./export.ts";

export const partialSuffix = ".part";

/** So much may wait in the system's cache: one long fsync at the end would hold up the commits of everybody. */
const unsyncedMaxBytes = 32 * 1024 * 1024;

export class ExportFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #file: number;
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #unsyncedBytes = 0;
  #isOpen = true;

  /** Begins anew where a part was left by somebody else. @throws errors of the file system, as all of its methods do. */
  constructor(path: string) {
    this.#path = path;
    this.#partial = `${path}${partialSuffix}`;
    this.#file = openSync(this.#partial, "w", 0o600);
  }

  append(text: string | Uint8Array): void {
    const piece = typeof text === "string" ? Buffer.from(text) : text;
    this.#hash.update(piece);
    for (let written = 0; written < piece.length; ) {
      written += writeSync(this.#file, piece, written, piece.length - written);
    }
    this.#bytes += piece.length;
    this.#unsyncedBytes += piece.length;
    if (this.#unsyncedBytes < unsyncedMaxBytes) return;
    fdatasyncSync(this.#file);
    this.#unsyncedBytes = 0;
  }

  /** The file gets its name, and `toManifest` tells what to write beside it. */
  finish(toManifest: (facts: { bytes: number; sha256: string }) => string): {
    bytes: number;
    sha256: string;
  } {
    const facts = { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
    fsyncSync(this.#file);
    this.#close();
    writeWhole(manifestPath(this.#path), toManifest(facts));
    renameSync(this.#partial, this.#path);
    syncFolder(dirname(this.#path));
    return facts;
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.#close();
    for (const path of [this.#partial, this.#path, manifestPath(this.#path)]) rmSync(path, { force: true });
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}
