// Owns how figures are made from values and printed.

/** The p-th part (0..1) of values, nearest rank. */
export function percentile(ascending: readonly number[], p: number): number {
  return ascending[Math.max(0, Math.ceil(p * ascending.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
export const perSecond = (value: number) => `${Math.round(value).toLocaleString("en")}/s`;
export const percent = (share: number) => `${(100 * share).toFixed(1)}`;
