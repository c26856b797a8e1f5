// Owns the vectors with which exact order is tested: those that approximations confuse. Everything depends on the seed alone.

/** A number from 0 to 1, without 1. */
export type Random = () => number;

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("there is nothing to pick");
  return value;
}

/** Of length 1, computed in float64. A vector of zeros becomes one-hot. */
export function toUnit(values: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let at = 0; at < values.length; at++) squares += (values[at] ?? 0) ** 2;
  const length = Math.sqrt(squares);
  return Float32Array.from(values, (value, at) => (length === 0 ? Number(at === 0) : value / length));
}

export interface AdversarialVectors {
  /** Directions around which most of the others are. */
  readonly pivots: readonly Float32Array[];
  /** The next vector, L2-normalised. */
  next(): Float32Array;
}

const kinds = [
  "random",
  "duplicate",
  "duplicate",
  "opposite",
  "one-hot",
  "nudged",
  "nudged",
  "denormal",
  "uniform",
  "uniform",
  "dominated",
  "half step",
  "negative zero",
] as const;

/** How many of the previous vectors can have duplicates and neighbours. */
const rememberedMax = 64;

/** @param directions more pivots, L2-normalised */
export function createAdversarialVectors(
  random: Random,
  dimensions: number,
  directions: readonly Float32Array[] = [],
): AdversarialVectors {
  const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const axis = () => Math.floor(random() * dimensions);
  const sign = () => (random() < 0.5 ? -1 : 1);
  const list = (value: (at: number) => number) => Array.from({ length: dimensions }, (_, at) => value(at));
  const anyUnit = () => toUnit(list(gaussian));
  const oneHot = () => {
    const hot = axis();
    const value = sign();
    return toUnit(list((at) => (at === hot ? value : 0)));
  };
  /** One component determines the scale of a quantised row, and all others are below a step of it. */
  const dominated = () => {
    const hot = axis();
    const rest = 0.9 / 127 / 2;
    return toUnit(list((at) => (at === hot ? 1 : rest * sign() * random())));
  };
  /** Every component is in the middle between two steps. */
  const halfStep = () => {
    const hot = axis();
    return toUnit(list((at) => (at === hot ? 127 : Math.floor(random() * 100) + 0.5) * sign()));
  };
  const pivots = [anyUnit(), oneHot(), dominated(), halfStep(), ...directions];
  const remembered: Float32Array[] = [...pivots];
  const former = () => pick(random, remembered);

  /** The same cosine with a pivot, apart from less than any quantisation tells apart. */
  const uniform = () => {
    const pivot = pick(random, pivots);
    const other = anyUnit();
    const along = other.reduce((sum, value, at) => sum + value * (pivot[at] ?? 0), 0);
    const across = toUnit(list((at) => (other[at] ?? 0) - along * (pivot[at] ?? 0)));
    const cosine = pick(random, [0, 0.3, 0.9]) + (random() - 0.5) * pick(random, [0, 1e-8, 1e-6, 1e-4]);
    const rest = Math.sqrt(1 - cosine ** 2);
    return toUnit(list((at) => cosine * (pivot[at] ?? 0) + rest * (across[at] ?? 0)));
  };
  const nudged = () => {
    const vector = [...former()];
    const size = 10 ** -(3 + Math.floor(random() * 5));
    if (random() < 0.5) {
      const at = axis();
      vector[at] = (vector[at] ?? 0) + size * sign();
      return toUnit(vector);
    }
    return toUnit(vector.map((value) => value + size * (random() - 0.5)));
  };
  const denormal = () => {
    const vector = random() < 0.5 ? oneHot() : anyUnit();
    for (let count = dimensions / 2; count > 0; count--) {
      const at = axis();
      if (Math.abs(vector[at] ?? 0) < 0.9) vector[at] = sign() * 2 ** -(127 + Math.floor(random() * 23));
    }
    // Never all zeros, because few dimensions may all have been replaced.
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return length > 0.1 ? vector.map((value) => Math.fround(value / length)) : oneHot();
  };
  const makers: Readonly<Record<(typeof kinds)[number], () => Float32Array>> = {
    random: anyUnit,
    duplicate: former,
    opposite: () => former().map((value) => -value),
    "one-hot": oneHot,
    nudged,
    denormal,
    uniform,
    dominated,
    "half step": halfStep,
    "negative zero": () =>
      toUnit(former().map((value) => (random() < 0.3 && Math.abs(value) < 1e-3 ? -0 : value))),
  };
  return {
    pivots,
    next() {
      const made = makers[pick(random, kinds)]();
      if (remembered.length < rememberedMax) remembered.push(made);
      else if (random() < 0.1) remembered[Math.floor(random() * rememberedMax)] = made;
      return made;
    },
  };
}
