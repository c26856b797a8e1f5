// How sure a difference between two rankings of the same questions is. Pure; must never compare values of different questions.

import { mean } from "./figures.ts";
import { createRandom } from "./texts.ts";

const resamples = 10_000;
/** Of the resampled means on each side of the interval: 95 % are inside. */
const outside = Math.floor(resamples * 0.025);

export interface Difference {
  readonly mean: number;
  /** Of the 95 % interval. */
  readonly low: number;
  readonly high: number;
}

/**
 * The mean of `values` less that of `base`, question by question, with the percentile interval of a paired bootstrap over the questions
 * (Efron and Tibshirani 1993): the same in every run. Of exchanged arguments it is exactly the opposite. @throws RangeError for lists
 * of different lengths or without values
 */
export function compare(values: readonly number[], base: readonly number[]): Difference {
  const count = values.length;
  if (count !== base.length || count === 0)
    throw new RangeError(`${count} values cannot be compared with ${base.length} of the same questions.`);
  const differences = Float64Array.from(values, (value, at) => value - (base[at] ?? 0));
  const random = createRandom(1);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (let drawn = 0; drawn < count; drawn++) sum += differences[Math.floor(random() * count)] ?? 0;
    means[resample] = sum / count;
  }
  means.sort();
  return {
    mean: mean([...differences]),
    low: means[outside] ?? Number.NaN,
    high: means[resamples - 1 - outside] ?? Number.NaN,
  };
}

/** In points of a hundred, such as `+1.2 (-0.3 to +2.6)`. */
export function toPoints({ mean, low, high }: Difference): string {
  const [middle, from, to] = [mean, low, high].map((share) => {
    const points = (100 * share).toFixed(1);
    return points.startsWith("-") && points !== "-0.0" ? points : `+${points.replace("-", "")}`;
  });
  return `${middle} (${from} to ${to})`;
}
