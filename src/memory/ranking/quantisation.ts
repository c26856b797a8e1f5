// Owns the quantisation of vectors: rows with eight bits for each dimension, queries with two columns of seven, and the proof of how far
// the product of the two can be from the similarity. Must never decide where a row lies.

import type { RowBlock } from "./scan/row-block.ts";
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

/** More than what float64 sums lose when numbers near the square of a vector's length leave that of its residual. */
const cancellation = 1e-12;

/** More than the sum of all errors of float64 arithmetic, see `errorBoundOf`. */
const arithmeticError = 1e-12;

export interface QuantisedQuery {
  /** [dimensions] each: component i is step * (126 * high[i] + low[i]), apart from what the columns leave. */
  readonly high: Int8Array;
  readonly low: Int8Array;
  readonly step: number;
  /** How much too large 126 * (row x high) + (row x low) is, because the stored codes of a row have an offset. */
  readonly excess: number;
  /** The part of `excess` that is in (row x high). */
  readonly highExcess: number;
  /** The low column changes the similarity of a row by this at most. */
  readonly lowMost: number;
  readonly errorBound: ErrorBound;
}

/** Of the difference between the approximate and the exact similarity of a row; see `errorBoundOf`. */
interface ErrorBound {
  /** The length of the query. */
  readonly length: number;
  /** The error is at most residual * length + constant. */
  readonly constant: number;
}

/**
 * Writes the codes, the scale and the residual of a row. Component i of the vector is scale * (code[i] - 128) + r[i]. The scale is the
 * float32 value for which r is at right angles to the codes, and shortest. The residual is at least the length of r.
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
  const codesPerUnit = greatest === 0 ? 0 : rowCodeMax / greatest;
  const start = row * dimensions;
  let squares = 0;
  let codeSquares = 0;
  let products = 0;
  for (let index = 0; index < dimensions; index++) {
    const x = vector[index] ?? 0;
    // The sum is positive, so truncation rounds down, and all roundings together are too small to leave 1 to 255.
    const stored = (x * codesPerUnit + (rowCodeOffset + 0.5)) | 0;
    codes[start + index] = stored;
    const code = stored - rowCodeOffset;
    squares += x * x;
    codeSquares += code * code;
    products += x * code;
  }
  const scale = scaleOf(products / codeSquares);
  const rest = squares - 2 * scale * products + scale * scale * codeSquares;
  block.scales[row] = scale;
  block.residuals[row] = roundedUp(Math.sqrt(Math.max(0, rest) + cancellation * squares));
}

/** A float32 value; 0 for vectors that are all residual. */
function scaleOf(exact: number): number {
  return exact >= scaleMin ? Math.fround(exact) : 0;
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
  let highTotal = 0;
  let lowTotal = 0;
  let lowSquares = 0;
  let squares = 0;
  // No iterator: it makes this loop ten times slower, and each task quantises its queries again.
  for (let index = 0; index < vector.length; index++) {
    const y = vector[index] ?? 0;
    const steps = step === 0 ? 0 : Math.round(y / step);
    const highCode = Math.round(steps / lowStepsPerHigh);
    const lowCode = steps - highCode * lowStepsPerHigh;
    high[index] = highCode;
    low[index] = lowCode;
    highTotal += highCode;
    lowTotal += lowCode;
    lowSquares += lowCode * lowCode;
    const rest = y - step * steps;
    squares += rest * rest;
  }
  return {
    high,
    low,
    step,
    excess: rowCodeOffset * (lowStepsPerHigh * highTotal + lowTotal),
    highExcess: rowCodeOffset * highTotal,
    lowMost: lowMostOf(step * Math.sqrt(lowSquares)),
    errorBound: errorBoundOf(Math.sqrt(squaredLength(vector)), Math.sqrt(squares)),
  };
}

/**
 * By Cauchy and Schwarz, with the names of `errorBoundOf`: the low codes l of the query add s t c.l to the similarity, at most |s c| |t l|,
 * and |s c| <= 1 + T.
 *
 * @param length |t l|
 */
function lowMostOf(length: number): number {
  return (1 + squaredLengthTolerance) * length + arithmeticError;
}

/**
 * How far s * t * I can be from `cosine(x, y)` of scores.ts. x is a stored vector, y the query, s the scale of the row, t the step of the
 * query, c the codes of the row (without their offset), q the codes of the query, and I the integer c.q, which is exact, since the integer
 * kernels do not round or saturate. With x = s c + r and y = t q + e, the exact dot product is
 *
 *     x.y = s t I + s c.e + r.y,    so by Cauchy and Schwarz    |x.y - s t I| <= |s c| |e| + |r| |y|.
 *
 * Lengths: `squaredLengthTolerance` T limits |x|² and |y|² to 1 - T and 1 + T. r is at right angles to c, apart from the rounding of s:
 * |r.(s c)| <= 2^-24 |s c|², so |s c|² <= |x|² / (1 - 2^-23), and |s c| <= 1 + T. (A scale of 0 makes s c = 0 and r = x.)
 *
 * A smaller bound for similar vectors (`errorOf`): the part of y along s c hardly contributes to r.y. With that part a s c, and b the
 * rest of y at right angles to it, |r.y| <= |a| |r.(s c)| + |r| |b|. The first term is at most 2^-24 |s c| |y| < T. The second one needs
 * |b|² = |y|² - (s c.y)² / |s c|², where |s c.y| >= |s t I| - (1 + T) |e|.
 *
 * `cosine` divides x.y by the square root of |x|² |y|², which is between 1 - T and 1 + T: this changes it by less than 2 T. Then it rounds
 * to decimals, which changes it by `similarityRounding` at most. It limits the result to 0..1; whoever limits the approximate value, too,
 * does not increase the difference.
 *
 * Arithmetic in float64 adds, with u = 2^-53 and at most 1,024 dimensions: 1.1 * 1024 u to the dot product in `cosine`; 3 u to the
 * quotient and its rounding; 2 u to s t I; sqrt(1024) u to |e|, whose components are differences of numbers of at most 1; a few u to |y|
 * and to the bound itself. All of this is below 2e-13. `cancellation` is more than the error of |r|², which is at most 4.4 * 1024 u |x|²,
 * and the residual is rounded up in float32, within 2^-149 when it is denormal. So `arithmeticError` covers everything several times, also
 * what the formulas of scores.ts add to it: they never change more than the similarity does.
 */
function errorBoundOf(length: number, error: number): ErrorBound {
  return {
    length,
    constant:
      (1 + squaredLengthTolerance) * error +
      3 * squaredLengthTolerance +
      similarityRounding +
      arithmeticError,
  };
}

/** The error of a row with this approximate similarity, which is not limited to 0..1: at most residual * length + constant. */
export function errorOf({ length, constant }: ErrorBound, similarity: number, residual: number): number {
  // The constant is more than (1 + T) |e|, and its excess more than what the division by |s c|² <= 1 + 2 T adds.
  const along = Math.max(0, Math.abs(similarity) - constant);
  return residual * Math.sqrt(Math.max(0, length * length - along * along)) + constant;
}
