// Owns the folder with the cache files of one project: their names, and how they are read, written and removed. Blocks are never changed
// by writing them again: each gets a new name, and the manifest, written last, says which ones count. Must never follow a link, and
// never remove a file that it did not name.

import {
  constants,
  existsSync,
  fdatasyncSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmdirSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { bytesPerRow } from "../../../memory/ranking/scan/row-block.ts";
import { makeFolder, syncFolder } from "../../../platform/files/durable.ts";
import { blockFileBytes, type OpenBlock, readBlock, readWhole, writeWholeAt } from "./block-file.ts";
import { infoOf, removeFile, withFile, writeNewFile } from "./cache-file.ts";
import { manifestMaxBytes } from "./limits.ts";
import {
  type CachedBlock,
  type CacheManifest,
  decodeManifest,
  encodeManifest,
  manifestBytes,
  manifestHeaderBytes,
  readManifestHeader,
} from "./manifest.ts";
import { UnusableFile } from "./unusable-file.ts";

/** A manifest that was read, and where a block behind it begins. */
export interface CacheFiles {
  readonly folder: string;
  readonly manifest: CacheManifest;
  readonly blockStart: number;
}

/** The folder of the cache files of all projects. @param database path of the database */
export function cacheFolderOf(database: string): string {
  return join(dirname(database), "cache", "search");
}

const manifestName = "index";
/** It gets its name when it is complete. Only one process uses a data directory, so the name needs no number. */
const unfinishedName = "index.new";
const blockName = /^[0-9a-f]{32}\.block$/;

/** @throws UnusableFile, or an error of the file system */
export function openCacheFiles(folder: string): CacheFiles {
  return withManifest(folder, (file, path) => {
    const header = Buffer.alloc(manifestHeaderBytes);
    if (!readWhole(file, header, 0)) throw new UnusableFile(path, "it is cut off");
    const bytes = readManifestHeader(path, header);
    if (bytes > manifestMaxBytes) throw new UnusableFile(path, "it is too large");
    const text = new Uint8Array(bytes);
    if (!readWhole(file, text, manifestHeaderBytes)) throw new UnusableFile(path, "it is cut off");
    return { folder, manifest: decodeManifest(path, header, text), blockStart: manifestBytes(bytes) };
  });
}

/** Bytes of the image of a block of the manifest. @throws RangeError when there is no such block */
export function imageBytes({ dimensions, blocks }: CacheManifest, index: number): number {
  const block = blocks[index];
  if (block === undefined) throw new RangeError(`The manifest has no block ${index}.`);
  return block.capacity * bytesPerRow(dimensions);
}

/** Reads the image of a block into `image` [imageBytes] and verifies it. @throws UnusableFile, or an error of the file system */
export function readCachedBlock(files: CacheFiles, index: number, image: Uint8Array): void {
  const place = placesOf(files)[index];
  if (place === undefined) throw new RangeError(`The manifest has no block ${index}.`);
  withBlock(place, "read", (block) => readBlock(block, image));
}

/** @param image [capacity * bytesPerRow] @returns false when the block is damaged or cannot be read */
export function tryReadingBlock(place: BlockPlace, image: Uint8Array): boolean {
  try {
    withBlock(place, "read", (block) => readBlock(block, image));
    return true;
  } catch {
    return false;
  }
}

/** Where the content of a block is. */
export type BlockPlace = Omit<OpenBlock, "file">;

/** Of all blocks of a manifest. */
export function placesOf({ folder, manifest, blockStart }: CacheFiles): readonly BlockPlace[] {
  const { dimensions, blocks } = manifest;
  const [only] = blocks;
  if (blocks.length !== 1 || only === undefined)
    return blocks.map((block) => placeOfFile(folder, block, dimensions));
  const { id, capacity } = only;
  return [{ path: join(folder, manifestName), start: blockStart, id, capacity, dimensions }];
}

/** Of a block in a file of its own. */
export function placeOfFile(
  folder: string,
  { id, capacity }: Pick<CachedBlock, "id" | "capacity">,
  dimensions: number,
): BlockPlace {
  return { path: join(folder, `${id}.block`), start: 0, id, capacity, dimensions };
}

/** Opens a block for `work`. @throws as `work` does, and errors of the file system */
export function withBlock<Result>(
  place: BlockPlace,
  access: "read" | "change",
  work: (block: OpenBlock) => Result,
): Result {
  const flags = access === "read" ? constants.O_RDONLY : constants.O_RDWR;
  return withFile(place.path, flags, (file) => work({ ...place, file }));
}

/** The parts of a block file: what `finishBlock` returns, and the image. */
export type FinishedBlock = readonly [head: Uint8Array, image: Uint8Array];

/** Writes a block file and syncs it. @throws as writeNewFile */
export function writeBlockFile(folder: string, id: string, block: FinishedBlock): void {
  writeNewFile(join(folder, `${id}.block`), block);
}

/** @returns whether a block file with this id is in the folder */
export function isThere(folder: string): (id: string) => boolean {
  return (id) => existsSync(join(folder, `${id}.block`));
}

/** What was wiped in these block files is gone after a power loss, too. @returns false when they cannot be synced, or are missing */
export function trySyncing(folder: string, blocks: readonly Pick<CachedBlock, "id">[]): boolean {
  try {
    for (const { id } of blocks) withFile(join(folder, `${id}.block`), constants.O_RDWR, fdatasyncSync);
    return true;
  } catch {
    return false;
  }
}

/**
 * From now on the folder has these files, also after a power loss. Removes the blocks of the previous manifest that are not in this one.
 * @param inline the only block; null: there are several, or none
 * @throws errors of the file system; then the previous manifest counts, or this one
 */
export function publishManifest(
  folder: string,
  manifest: CacheManifest,
  inline: FinishedBlock | null,
): CacheFiles {
  if ((manifest.blocks.length === 1) !== (inline !== null))
    throw new TypeError("the only block of a project is written with its manifest, no other is");
  const unfinished = join(folder, unfinishedName);
  const content = encodeManifest(manifest);
  removeFile(unfinished);
  writeNewFile(unfinished, inline === null ? [content] : [content, ...inline]);
  renameSync(unfinished, join(folder, manifestName));
  syncFolder(folder);
  const files = { folder, manifest, blockStart: content.length };
  removeLeftovers(files);
  return files;
}

/**
 * Overwrites the manifest in place with one that has fewer sets of tags. A power loss in between leaves a check that is wrong.
 * @param isDurable whether the previous manifest is gone after a power loss, too, when this returns
 * @throws errors of the file system
 */
export function wipeTagSets(
  { folder, manifest, blockStart }: CacheFiles,
  tagSets: CacheManifest["tagSets"],
  isDurable: boolean,
): void {
  withFile(join(folder, manifestName), constants.O_RDWR, (file) => {
    if (tagSets.length < manifest.tagSets.length)
      writeWholeAt(file, encodeManifest({ ...manifest, tagSets }, blockStart), 0);
    if (isDurable) fdatasyncSync(file);
  });
}

/** Creates the folder of a project, only for its owner. @throws UnusableFile when something else has its name; errors of the file system */
export function makeProjectFolder(folder: string): void {
  makeFolder(folder);
  if (!lstatSync(folder).isDirectory()) throw new UnusableFile(folder, "it is not a folder");
}

/** Removes what the manifest does not name, such as blocks of a writer that was killed. @throws errors of the file system */
export function removeLeftovers({ folder, manifest: { blocks } }: CacheFiles): void {
  removeFile(join(folder, unfinishedName));
  // One block alone is in the file of the manifest.
  removeBlocksExcept(folder, new Set(blocks.length > 1 ? blocks.map(({ id }) => id) : []));
}

function removeBlocksExcept(folder: string, kept: ReadonlySet<string>): void {
  for (const name of readdirSync(folder)) {
    const isUnused = blockName.test(name) && !kept.has(name.slice(0, 32));
    if (isUnused) removeFile(join(folder, name));
  }
}

/**
 * Removes all cache files of a project, the manifest first: without it nothing else counts. Other files stay, and with them the folder.
 * @throws errors of the file system
 */
export function removeProjectFiles(folder: string): void {
  const info = infoOf(folder);
  if (info === undefined) return;
  // A link or a file of somebody else in the place of the folder.
  if (!info.isDirectory()) return;
  removeFile(join(folder, manifestName));
  removeFile(join(folder, unfinishedName));
  removeBlocksExcept(folder, new Set());
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Remembers that the files were used now, for the order in which projects are loaded and removed. @throws errors of the file system */
export function markUsed({ folder }: CacheFiles, now: number): void {
  utimesSync(join(folder, manifestName), now / 1_000, now / 1_000);
}

/** When the files were written or used; 0: there are none, or they cannot be read. */
export function lastUse({ folder }: Pick<CacheFiles, "folder">): number {
  try {
    return infoOf(join(folder, manifestName))?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

/** Bytes of all cache files of the project. */
export function sizeOfFiles({ manifest, blockStart }: CacheFiles): number {
  const { dimensions, blocks } = manifest;
  return blocks.reduce((sum, { capacity }) => sum + blockFileBytes({ dimensions, capacity }), blockStart);
}

function withManifest<Result>(folder: string, work: (file: number, path: string) => Result): Result {
  const path = join(folder, manifestName);
  if (lstatSync(folder).isSymbolicLink()) throw new UnusableFile(folder, "it is a symbolic link");
  return withFile(path, constants.O_RDONLY, (file) => work(file, path));
}
