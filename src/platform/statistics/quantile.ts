// Owns estimates of quantiles from counts of values by size.

/**
 * The value below which the share `quantile` of all values lies, as Prometheus estimates it: values are taken as spread evenly between
 * the bounds of their count. Values above all bounds count as the last bound.
 * @param counts as of DistributionState, at `offset` @param quantile from 0 to 1 @returns null without values
 */
export function estimateQuantile(
  counts: ArrayLike<number>,
  bounds: readonly number[],
  quantile: number,
  offset = 0,
): number | null {
  let total = 0;
  for (let at = 0; at <= bounds.length; at++) total += counts[offset + at] ?? 0;
  if (total === 0) return null;
  const rank = quantile * total;
  let below = 0;
  for (let at = 0; at < bounds.length; at++) {
    const count = counts[offset + at] ?? 0;
    if (count > 0 && below + count >= rank) {
      const from = at === 0 ? 0 : (bounds[at - 1] ?? 0);
      return from + (((bounds[at] ?? 0) - from) * (rank - below)) / count;
    }
    below += count;
  }
  return bounds.at(-1) ?? 0;
}
