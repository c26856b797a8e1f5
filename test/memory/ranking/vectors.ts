// Makes unit vectors for tests of ranking: ordinary ones, and those that are hard for quantised codes.

import fc from "fast-check";
import { isUnitVector } from "../../../src/memory/ranking/scores.ts";

/** Rounded to float32, as an embedder returns it; the first axis if all values are 0. */
export function normalised(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  const vector = Float32Array.from(values, (value, axis) =>
    length === 0 ? Number(axis === 0) : value / length,
  );
  if (!isUnitVector(vector, values.length)) throw new Error("the values cannot be normalised");
  return vector;
}

/** A sequence of numbers from -1 to 1 that depends on the seed only. */
export function sequence(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

export function randomVector(dimensions: number, seed: number): Float32Array {
  const next = sequence(seed);
  return normalised(Array.from({ length: dimensions }, () => next() + next() + next()));
}

/** A vector near another one: far below, near or above one step of its codes. */
export function near(vector: Float32Array, noise: number, seed: number): Float32Array {
  const next = sequence(seed);
  return normalised(Array.from(vector, (value) => value + noise * next()));
}

/** Vectors that differ as much as possible, and that differ as little as possible. */
export function hardVector(dimensions: number): fc.Arbitrary<Float32Array> {
  const axis = fc.nat(dimensions - 1);
  const sign = fc.constantFrom(1, -1);
  const seed = fc.nat(50);
  const withAxes = (change: (values: number[]) => void) => {
    const values = new Array<number>(dimensions).fill(0);
    change(values);
    return normalised(values);
  };
  return fc.oneof(
    seed.map((at) => randomVector(dimensions, at)),
    seed.map((at) => randomVector(dimensions, at).map((value) => -value)),
    fc
      .tuple(seed, fc.constantFrom(1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2), fc.nat(1_000))
      .map(([at, noise, other]) => near(randomVector(dimensions, at % 3), noise, other)),
    fc.tuple(axis, sign).map(([at, value]) => withAxes((values) => (values[at] = value))),
    // Denormal and tiny components beside one that has the whole length.
    fc
      .tuple(axis, sign, fc.constantFrom(2 ** -149, -(2 ** -149), 2 ** -126, 1e-30, -1e-10, 1 / 254))
      .map(([at, value, rest]) => withAxes((values) => values.fill(rest).splice(at, 1, value))),
    // All components are equal, apart from their signs: every code is the least or the greatest.
    fc.array(sign, { minLength: dimensions, maxLength: dimensions }).map((values) => normalised(values)),
    fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions })
      .filter((values) => Math.hypot(...values) > 1e-3)
      .map(normalised),
  );
}
