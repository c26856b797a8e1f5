// Owns the manifest of the cache files of one project: what they contain, which blocks, and to which state of which database they belong.
// Its bytes are defined in src/engines/sqlite/search-cache/README.md. Must never be trusted without its check.

import { UnusableFile } from "./unusable-file.ts";

export interface CacheManifest {
  /** SHA-256 of the embedding model. */
  readonly model: string;
  readonly dimensions: number;
  /** Id of the project. */
  readonly project: string;
  /**
   * The newest record of the project's chain when the last block was copied. A database that has this record has all changes that the
   * blocks contain: its hash depends on all records before, and every change has a record.
   */
  readonly head: CachedHead;
  /** All changes through this revision are in the blocks. */
  readonly revision: number;
  /** Some changes through this revision may be, too: memories change while blocks are copied. */
  readonly newestRevision: number;
  /** By type: the epoch of its pool. */
  readonly epochs: Readonly<Record<string, number>>;
  /** JSON texts of tags by the numbers that rows have. */
  readonly tagSets: readonly (readonly [number: number, text: string])[];
  /** In the order of their slots. One alone is in the file of the manifest, behind it. */
  readonly blocks: readonly CachedBlock[];
}

export interface CachedHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

export interface CachedBlock {
  /** Of the block, and the name of its file. */
  readonly id: string;
  readonly capacity: number;
  /** Least and greatest serial when it was written; 0 when it was empty. */
  readonly firstSerial: number;
  readonly lastSerial: number;
}

const magic = Buffer.from("mldgidx\x01", "latin1");
export const manifestHeaderBytes = 32;
const checkAt = 16;
const headerCheckAt = 24;
/** What follows the manifest begins at a multiple of it. */
const alignment = 64;

/**
 * @param blockStart where the block behind a longer manifest begins, in place of which this one is written
 * @returns the bytes, filled up to where a block may follow
 */
export function encodeManifest(manifest: CacheManifest, blockStart = 0): Uint8Array {
  const json = JSON.stringify(manifest);
  const spaces = Math.max(0, blockStart - manifestHeaderBytes - Buffer.byteLength(json));
  const text = Buffer.from(json + " ".repeat(spaces));
  const content = Buffer.alloc(manifestBytes(text.length));
  magic.copy(content);
  content.writeUInt32LE(text.length, magic.length);
  content.writeBigUInt64LE(Bun.hash.xxHash3(text), checkAt);
  content.writeBigUInt64LE(Bun.hash.xxHash3(content.subarray(0, headerCheckAt)), headerCheckAt);
  text.copy(content, manifestHeaderBytes);
  return content;
}

/** @returns the bytes of the text behind this header [manifestHeaderBytes] @throws UnusableFile */
export function readManifestHeader(path: string, header: Buffer): number {
  if (!header.subarray(0, magic.length).equals(magic))
    throw new UnusableFile(path, "it is not a manifest of this version");
  if (header.readBigUInt64LE(headerCheckAt) !== Bun.hash.xxHash3(header.subarray(0, headerCheckAt)))
    throw new UnusableFile(path, "the check of its header is wrong");
  return header.readUInt32LE(magic.length);
}

/** @throws UnusableFile */
export function decodeManifest(path: string, header: Buffer, text: Uint8Array): CacheManifest {
  if (header.readBigUInt64LE(checkAt) !== Bun.hash.xxHash3(text))
    throw new UnusableFile(path, "its check is wrong");
  // Its check is right, so this program wrote it.
  return JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8"));
}

/** With a text of so many bytes, and filled up. */
export function manifestBytes(textBytes: number): number {
  return Math.ceil((manifestHeaderBytes + textBytes) / alignment) * alignment;
}
