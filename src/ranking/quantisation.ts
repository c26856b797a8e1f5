// Owns the quantisation of vectors: rows with eight bits for each dimension, queries with two columns of seven, and the proof of how far
// the product of the two can be from the similarity. Must never decide where a row lies.

import type { RowBlock } from "./row-block.ts";
import { similarityRounding, squaredLength, squaredLengthTolerance } from "./scores.ts";

const rowCodeMax = 127;
/** Codes of rows are stored as bytes without a sign, because the fast integer kernels multiply u8 by s8. */
const rowCodeOffset = 128;
/** Smaller scales could be denormal, and too inexact for codes of eight bits. */
const scaleMin = 2 ** -100;

/**
 * Seven bits, because the u8 x s8 kernels of ONNX Runtime for AVX2 without VNNI add two products in 16 bits with saturation:
 * 2 * 255 * 63 is less than 2^15, 2 * 255 * 127 is not.
 */
const queryCodeMax = 63;
/** A step of the high column is so many steps of the low one, whose codes are then between -63 and 63, too. */
export const lowStepsPerHigh = 2 * queryCodeMax;

/** More than the sum of all errors of float64 arithmetic, see `errorBoundOf`. */
const arithmeticError = 1e-12;

export interface QuantisedQuery {
  /** [dimensions] each: component i is step * (126 * high[i] + low[i]), apart from what the columns leave. */
  readonly high: Int8Array;
  readonly low: Int8Array;
  readonly step: number;
  /** How much too large 126 * (row x high) + (row x low) is, because the stored codes of a row have an offset. */
  readonly excess: number;
  readonly errorBound: ErrorBound;
}

/** The difference between the approximate and the exact similarity of a row is at most residual * perResidual + constant. */
export interface ErrorBound {
  readonly perResidual: number;
  readonly constant: number;
}

/**
 * Writes the codes, the scale and the residual of a row. Component i of the vector is scale * (code[i] - 128) + r[i], where the scale is
 * the float32 value that is stored, and the residual is at least the length of r.
 *
 * @param vector [dimensions]
 * @throws RangeError when the vector has another length or is not finite
 */
export function quantiseRow(vector: Float32Array, block: RowBlock, row: number): void {
  const { dimensions, codes } = block;
  if (vector.length !== dimensions) {
    throw new RangeError(
      `A vector of ${vector.length} does not fit into a block with ${dimensions} dimensions.`,
    );
  }
  const greatest = greatestOf(vector);
  if (!(greatest < Number.POSITIVE_INFINITY))
    throw new RangeError("A vector that is not finite has no codes.");
  const scale = scaleFor(greatest);
  const perScale = scale === 0 ? 0 : 1 / scale;
  const start = row * dimensions;
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const x = vector[index] ?? 0;
    // The sum is positive, so truncation rounds down, and all roundings together are too small to leave 1 to 255.
    const code = (x * perScale + (rowCodeOffset + 0.5)) | 0;
    codes[start + index] = code;
    const rest = x - scale * (code - rowCodeOffset);
    squares += rest * rest;
  }
  block.scales[row] = scale;
  block.residuals[row] = roundedUp(Math.sqrt(squares));
}

/** A float32 value; 0 for vectors that are all residual. */
function scaleFor(greatest: number): number {
  const scale = Math.fround(greatest / rowCodeMax);
  return scale < scaleMin ? 0 : scale;
}

/** The greatest absolute value of a component; NaN if a component is NaN. */
function greatestOf(vector: Float32Array): number {
  let greatest = 0;
  for (let index = 0; index < vector.length; index++) {
    const size = Math.abs(vector[index] ?? 0);
    if (size > greatest) greatest = size;
    else if (Number.isNaN(size)) return size;
  }
  return greatest;
}

/** A float32 value that is at least `length`, also when `length` is too small by the roundings of the sum and of its root. */
function roundedUp(length: number): number {
  return Math.fround(length * (1 + 2 ** -22));
}

/** @param vector [dimensions], L2-normalised */
export function quantiseQuery(vector: Float32Array): QuantisedQuery {
  const high = new Int8Array(vector.length);
  const low = new Int8Array(vector.length);
  const step = greatestOf(vector) / (queryCodeMax * lowStepsPerHigh);
  let total = 0;
  let squares = 0;
  for (const [index, y] of vector.entries()) {
    const steps = step === 0 ? 0 : Math.round(y / step);
    const highCode = Math.round(steps / lowStepsPerHigh);
    const lowCode = steps - highCode * lowStepsPerHigh;
    high[index] = highCode;
    low[index] = lowCode;
    total += steps;
    squares += (y - step * steps) ** 2;
  }
  return {
    high,
    low,
    step,
    excess: rowCodeOffset * total,
    errorBound: errorBoundOf(Math.sqrt(squaredLength(vector)), Math.sqrt(squares)),
  };
}

/**
 * How far s * t * I can be from `cosine(x, y)` of scores.ts. x is a stored vector, y the query, s the scale of the row, t the step of the
 * query, c the codes of the row (without their offset), q the codes of the query, and I the integer c.q.
 *
 * With x = s c + r and y = t q + e, the exact dot product is x.y = s t I + s c.e + r.y, and by Cauchy and Schwarz
 *
 *     |x.y - s t I|  <=  |s c| |e| + |r| |y|  <=  (|x| + |r|) |e| + |r| |y|.
 *
 * I is exact, since the integer kernels do not round or saturate. `squaredLengthTolerance` T limits |x|² and |y|² to 1 - T and 1 + T. So
 * |x| <= 1 + T, and the square root L of their product is between 1 - T and 1 + T too: dividing x.y by L, which `cosine` does, changes
 * x.y by |x.y| |1 - L| / L, which is less than 2 T. Then `cosine` rounds to decimals, which changes it by `similarityRounding` at most.
 * It limits the result to 0..1; whoever limits the approximate value, too, does not increase the difference.
 *
 * Arithmetic in float64 adds, with u = 2^-53 and at most 1,024 dimensions: 1.1 * 1024 u to the dot product in `cosine`; 3 u to the
 * quotient and its rounding; 2 u to s t I; sqrt(1024) u to |e|, whose components are differences of numbers of at most 1; a few u to |y|
 * and to the bound itself. All of this is below 2e-13. The residual, which contains the corresponding errors of |r|, is rounded up in
 * float32 by 2^-22 of itself, which is more than they are, or, when it is denormal, within 2^-149. So `arithmeticError` covers everything
 * several times, also what the formulas of scores.ts add to it: they never change more than the similarity does.
 */
function errorBoundOf(length: number, error: number): ErrorBound {
  const lengthMax = 1 + squaredLengthTolerance;
  return {
    perResidual: length + error,
    constant: lengthMax * error + 2 * squaredLengthTolerance + similarityRounding + arithmeticError,
  };
}
