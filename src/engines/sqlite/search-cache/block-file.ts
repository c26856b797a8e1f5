// Owns the format of a block file, the image of a row block with checks: src/engines/sqlite/search-cache/README.md defines every byte. Everything that
// is read is verified before it is used. Must never decide which rows are wiped, or where the file is.

import { randomBytes } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import {
  blockCapacity,
  bytesBeforeTagSet,
  bytesPerRow,
  type RowBlock,
  viewBytesPerRow,
} from "../../../memory/ranking/scan/row-block.ts";
import { blockReadsMax, rowsPerCheck } from "./limits.ts";
import { UnusableFile } from "./unusable-file.ts";

export interface BlockShape {
  readonly dimensions: number;
  readonly capacity: number;
}

/** A block file, or the part of a file that has the same content. */
export interface OpenBlock extends BlockShape {
  /** For messages. */
  readonly path: string;
  readonly file: number;
  /** Where the content begins. */
  readonly start: number;
  /** As in its manifest; a file with another id is not the one that is looked for. */
  readonly id: string;
}

export type RowColumns = Pick<RowBlock, "serials" | "contentRevisions" | "tagSets">;

const magic = Buffer.from("mldgblk\x01", "latin1");
const headerBytes = 64;
const headerCheckAt = 56;
const checkBytes = 8;

/** Random, so that a block that is written again cannot be taken for the previous one. */
export function createBlockId(): string {
  return randomBytes(16).toString("hex");
}

/** Where the image begins in a block file: after the header and the checks. */
export function imageStart({ capacity }: BlockShape): number {
  return headerBytes + (capacity / rowsPerCheck) * checkBytes;
}

export function blockFileBytes(shape: BlockShape): number {
  return imageStart(shape) + shape.capacity * bytesPerRow(shape.dimensions);
}

/** @returns what is before the image in a block file [imageStart]: the header and the checks */
export function finishBlock(image: Uint8Array, id: string, shape: BlockShape): Uint8Array {
  const head = new Uint8Array(imageStart(shape));
  head.set(headerOf(id, shape));
  const checks = new DataView(head.buffer, headerBytes);
  for (let group = 0; group < shape.capacity / rowsPerCheck; group++)
    checks.setBigUint64(group * checkBytes, checkOfGroup(image, id, shape, group), true);
  return head;
}

/**
 * Reads the image of a block into `image` [capacity * bytesPerRow], which may be shared memory, and verifies all of it.
 * @throws UnusableFile, or an error of the file system
 */
export function readBlock(block: OpenBlock, image: Uint8Array): void {
  for (let attempt = 1; ; attempt++) {
    const fault = tryReading(block, image);
    if (fault === null) return;
    // Another thread may be wiping rows; it writes them and their check one after the other.
    if (attempt === blockReadsMax) throw new UnusableFile(block.path, fault);
  }
}

function tryReading(block: OpenBlock, image: Uint8Array): string | null {
  const head = new Uint8Array(imageStart(block));
  if (!readWhole(block.file, head, block.start)) return "it is cut off";
  if (headerOf(block.id, block).compare(head, 0, headerBytes) !== 0)
    return "its header is not that of the block";
  if (!readWhole(block.file, image, block.start + head.length)) return "it is cut off";
  const checks = new DataView(head.buffer, headerBytes);
  for (let group = 0; group < block.capacity / rowsPerCheck; group++) {
    if (checks.getBigUint64(group * checkBytes, true) !== checkOfGroup(image, block.id, block, group))
      return "a check of its rows is wrong";
  }
  return null;
}

/** Of all rows. They are not verified. @throws as readBlock */
export function readColumns(block: OpenBlock): RowColumns {
  const { capacity } = block;
  const columns = new Float64Array(2 * capacity);
  const tagSets = new Uint32Array(capacity);
  const image = block.start + imageStart(block);
  const isWhole =
    readWhole(block.file, new Uint8Array(columns.buffer), image) &&
    readWhole(block.file, new Uint8Array(tagSets.buffer), image + capacity * bytesBeforeTagSet);
  if (!isWhole) throw new UnusableFile(block.path, "it is cut off");
  return { serials: columns.subarray(0, capacity), contentRevisions: columns.subarray(capacity), tagSets };
}

/**
 * Overwrites rows with zeros, which makes them free. A power loss in between leaves a check that is wrong. Does not sync the file.
 * @throws UnusableFile when a row is not intact before; errors of the file system
 */
export function wipeRows(block: OpenBlock, rows: readonly number[]): void {
  const groups = Map.groupBy(rows, (row) => Math.floor(row / rowsPerCheck));
  for (const [group, members] of groups) wipeInGroup(block, group, members);
}

/** Verifies the checks of these rows. @throws UnusableFile when one is wrong; errors of the file system */
export function verifyRows(block: OpenBlock, rows: readonly number[]): void {
  for (const group of new Set(rows.map((row) => Math.floor(row / rowsPerCheck)))) readGroup(block, group);
}

function wipeInGroup(block: OpenBlock, group: number, rows: readonly number[]): void {
  const parts = readGroup(block, group);
  for (const { content, start } of parts) {
    const width = content.length / rowsPerCheck;
    for (const row of rows) content.fill(0, (row % rowsPerCheck) * width, ((row % rowsPerCheck) + 1) * width);
    writeWholeAt(block.file, content, start);
  }
  const check = Buffer.alloc(checkBytes);
  check.writeBigUInt64LE(checkOf(contentsOf(parts), block.id, group));
  writeWholeAt(block.file, check, checkStart(block, group));
}

interface ReadPart {
  /** In the file. */
  readonly start: number;
  readonly content: Uint8Array;
}

function readGroup(block: OpenBlock, group: number): readonly ReadPart[] {
  const parts = partsOfGroup(block, group).map(({ at, bytes }) => {
    const start = block.start + imageStart(block) + at;
    const content = new Uint8Array(bytes);
    if (!readWhole(block.file, content, start)) throw new UnusableFile(block.path, "it is cut off");
    return { start, content };
  });
  const check = Buffer.alloc(checkBytes);
  const isRight =
    readWhole(block.file, check, checkStart(block, group)) &&
    check.readBigUInt64LE() === checkOf(contentsOf(parts), block.id, group);
  if (!isRight) throw new UnusableFile(block.path, "a check of its rows is wrong");
  return parts;
}

function contentsOf(parts: readonly ReadPart[]): readonly Uint8Array[] {
  return parts.map(({ content }) => content);
}

function checkStart({ start }: OpenBlock, group: number): number {
  return start + headerBytes + group * checkBytes;
}

/** @throws RangeError when no block has this shape */
function headerOf(id: string, { dimensions, capacity }: BlockShape): Buffer {
  if (capacity !== blockCapacity(capacity)) throw new RangeError(`No block has ${capacity} rows.`);
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.write(id, magic.length, "hex");
  header.writeUInt32LE(dimensions, 24);
  header.writeUInt32LE(capacity, 28);
  header.writeBigUInt64LE(Bun.hash.xxHash3(header.subarray(0, headerCheckAt)), headerCheckAt);
  return header;
}

interface Part {
  /** Behind the beginning of the image. */
  readonly at: number;
  readonly bytes: number;
}

/** Where the rows of a group are in the image: one part of each view. */
function partsOfGroup({ dimensions, capacity }: BlockShape, group: number): readonly Part[] {
  let viewAt = 0;
  return viewBytesPerRow(dimensions).map((width) => {
    const at = viewAt + group * rowsPerCheck * width;
    viewAt += capacity * width;
    return { at, bytes: rowsPerCheck * width };
  });
}

function checkOfGroup(image: Uint8Array, id: string, shape: BlockShape, group: number): bigint {
  const parts = partsOfGroup(shape, group).map(({ at, bytes }) => image.subarray(at, at + bytes));
  return checkOf(parts, id, group);
}

/** Begins with the id and the number of the group, so that rows of another block or in another place do not pass. */
function checkOf(parts: readonly Uint8Array[], id: string, group: number): bigint {
  const begin = BigInt(`0x${id.slice(0, 16)}`) ^ BigInt(group);
  return parts.reduce((check, part) => Bun.hash.xxHash3(part, check), begin);
}

/** @returns false when the file ends before */
export function readWhole(file: number, content: Uint8Array, start: number): boolean {
  for (let done = 0; done < content.length; ) {
    const bytes = readSync(file, content, done, content.length - done, start + done);
    if (bytes === 0) return false;
    done += bytes;
  }
  return true;
}

export function writeWholeAt(file: number, content: Uint8Array, start: number): void {
  for (let done = 0; done < content.length; )
    done += writeSync(file, content, done, content.length - done, start + done);
}
