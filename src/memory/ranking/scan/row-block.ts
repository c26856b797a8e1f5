// Owns the layout of a row block: the quantised vectors of some memories of one project and what ranking needs to know about them, in one
// piece of shared memory. A search index consists of such blocks, every thread can scan them, and a cache file is their image. Must never
// decide which memory gets which row, or how a vector is quantised.

import { rowsPerBlock, rowsPerBlockMin } from "../limits.ts";

/**
 * Typed views of one block. All have `capacity` rows and lie in `buffer` in the order in which they are named here, without gaps. A row
 * whose serial is 0 is free, and all of its bytes are 0.
 */
export interface RowBlock {
  readonly buffer: SharedArrayBuffer;
  readonly dimensions: number;
  readonly capacity: number;
  /** Identifies the memory, above 0. */
  readonly serials: Float64Array;
  readonly contentRevisions: Float64Array;
  /** 0..1 */
  readonly importances: Float64Array;
  /** Milliseconds since 1970; Infinity: the memory never expires. */
  readonly expiries: Float64Array;
  /** Of the quantised vector: what one step of its codes is. */
  readonly scales: Float32Array;
  /** Of the quantised vector: at least the length of what the codes leave. */
  readonly residuals: Float32Array;
  /** The number of the memory's set of tags; 0: no tags. */
  readonly tagSets: Uint32Array;
  /** Made by `rowState`. */
  readonly states: Uint8Array;
  /** Quantised vectors, [capacity, dimensions]: a signed code + 128. */
  readonly codes: Uint8Array;
}

/** What a block has of a memory beside its vector. */
export interface RowValues {
  readonly serial: number;
  readonly contentRevision: number;
  readonly importance: number;
  readonly expiresAt: number;
  readonly tagSet: number;
  readonly state: number;
}

const { BYTES_PER_ELEMENT: f64 } = Float64Array;
const { BYTES_PER_ELEMENT: f32 } = Float32Array;
const { BYTES_PER_ELEMENT: u32 } = Uint32Array;

/** Bytes of a row in the views before that of the sets of tags. */
export const bytesBeforeTagSet = 4 * f64 + 2 * f32;

/** Bytes of a row beside its codes. */
export const metadataBytesPerRow = bytesBeforeTagSet + u32 + 1;

export function bytesPerRow(dimensions: number): number {
  return metadataBytesPerRow + dimensions;
}

/** Bytes of one row in each view of a block, in the order of the views in its buffer. */
export function viewBytesPerRow(dimensions: number): readonly number[] {
  return [f64, f64, f64, f64, f32, f32, u32, 1, dimensions];
}

/** A block whose rows are all free. @param capacity a value of `blockCapacity` */
export function createRowBlock(dimensions: number, capacity: number): RowBlock {
  return viewRowBlock(new SharedArrayBuffer(capacity * bytesPerRow(dimensions)), dimensions);
}

/** @throws RangeError when the buffer is not one of a block with so many dimensions */
export function viewRowBlock(buffer: SharedArrayBuffer, dimensions: number): RowBlock {
  const capacity = buffer.byteLength / bytesPerRow(dimensions);
  if (!Number.isInteger(capacity) || capacity !== blockCapacity(capacity)) {
    throw new RangeError(
      `A buffer of ${buffer.byteLength} bytes is not a block with ${dimensions} dimensions.`,
    );
  }
  let end = 0;
  const next = (bytesPerValue: number): number => {
    const start = end;
    end += capacity * bytesPerValue;
    return start;
  };
  // The widest values first, and the capacity a multiple of 64: so every view is aligned, and the codes begin at a cache line.
  return {
    buffer,
    dimensions,
    capacity,
    serials: new Float64Array(buffer, next(f64), capacity),
    contentRevisions: new Float64Array(buffer, next(f64), capacity),
    importances: new Float64Array(buffer, next(f64), capacity),
    expiries: new Float64Array(buffer, next(f64), capacity),
    scales: new Float32Array(buffer, next(f32), capacity),
    residuals: new Float32Array(buffer, next(f32), capacity),
    tagSets: new Uint32Array(buffer, next(u32), capacity),
    states: new Uint8Array(buffer, next(1), capacity),
    codes: new Uint8Array(buffer, next(dimensions), capacity * dimensions),
  };
}

/**
 * The capacity of the smallest block for so many rows: four sizes for each power of two, so that at most a fifth of a larger block is
 * empty, and buffers of left blocks can be used again. Every capacity is a multiple of 64.
 * @throws RangeError when no block is so large
 */
export function blockCapacity(rows: number): number {
  if (!(rows >= 0 && rows <= rowsPerBlock)) throw new RangeError(`No block has ${rows} rows.`);
  let step = rowsPerBlockMin;
  while (step * 8 < rows) step *= 2;
  return Math.max(1, Math.ceil(rows / step)) * step;
}

/** Copies all rows of a block to the first rows of another one with the same dimensions that is at least as large and empty. */
export function copyRows(from: RowBlock, to: RowBlock): void {
  to.serials.set(from.serials);
  to.contentRevisions.set(from.contentRevisions);
  to.importances.set(from.importances);
  to.expiries.set(from.expiries);
  to.scales.set(from.scales);
  to.residuals.set(from.residuals);
  to.tagSets.set(from.tagSets);
  to.states.set(from.states);
  to.codes.set(from.codes);
}

/** Copies a row to a row of another block, or of the same one, with the same dimensions. */
export function copyRow(from: RowBlock, fromRow: number, to: RowBlock, toRow: number): void {
  to.serials[toRow] = from.serials[fromRow] ?? 0;
  to.contentRevisions[toRow] = from.contentRevisions[fromRow] ?? 0;
  to.importances[toRow] = from.importances[fromRow] ?? 0;
  to.expiries[toRow] = from.expiries[fromRow] ?? 0;
  to.scales[toRow] = from.scales[fromRow] ?? 0;
  to.residuals[toRow] = from.residuals[fromRow] ?? 0;
  to.tagSets[toRow] = from.tagSets[fromRow] ?? 0;
  to.states[toRow] = from.states[fromRow] ?? 0;
  codesOf(to, toRow).set(codesOf(from, fromRow));
}

/** Writes everything of a row but its quantised vector. */
export function setRowValues(block: RowBlock, row: number, values: RowValues): void {
  block.serials[row] = values.serial;
  block.contentRevisions[row] = values.contentRevision;
  block.importances[row] = values.importance;
  block.expiries[row] = values.expiresAt;
  block.tagSets[row] = values.tagSet;
  block.states[row] = values.state;
}

/** The codes of a row [dimensions], not a copy. */
export function codesOf({ codes, dimensions }: RowBlock, row: number): Uint8Array {
  return codes.subarray(row * dimensions, (row + 1) * dimensions);
}

/** Makes a row free. Its vector is overwritten, because the block is also the image of a file. */
export function clearRow(block: RowBlock, row: number): void {
  block.serials[row] = 0;
  block.contentRevisions[row] = 0;
  block.importances[row] = 0;
  block.expiries[row] = 0;
  block.scales[row] = 0;
  block.residuals[row] = 0;
  block.tagSets[row] = 0;
  block.states[row] = 0;
  block.codes.fill(0, row * block.dimensions, (row + 1) * block.dimensions);
}

/** Makes all rows free. */
export function clearAllRows({ buffer }: RowBlock): void {
  new Uint8Array(buffer).fill(0);
}

const activeBit = 1;

/** @param kind the number of the memory's kind, 0 to 126 */
export function rowState(kind: number, isActive: boolean): number {
  return kind * 2 + (isActive ? activeBit : 0);
}

export function kindOfState(state: number): number {
  return state >>> 1;
}

export function isActiveState(state: number): boolean {
  return (state & activeBit) === 1;
}
