// Fits a line through measurements by least squares, with the confidence of its slope. Must never drop a measurement.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  /** Units of y per unit of x. */
  readonly slope: number;
  /** Half the width of the 95 % confidence interval of the slope. */
  readonly margin: number;
  readonly mean: number;
}

/** Quantiles of Student's distribution for 97.5 %, by degrees of freedom from 1; beyond the last one the normal distribution is near. */
const quantiles = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1,
  2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04,
];
const normalQuantile = 1.96;

/** @returns null for less than three points, or points at one x only: they say nothing about a slope */
export function fitSlope(points: readonly Point[]): Slope | null {
  const count = points.length;
  if (count < 3) return null;
  const meanOf = (pick: (point: Point) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / count;
  const [meanX, mean] = [meanOf(({ x }) => x), meanOf(({ y }) => y)];
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) return null;
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - mean), 0) / spread;
  const residuals = points.reduce((sum, { x, y }) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  const freedom = count - 2;
  const quantile = quantiles[freedom - 1] ?? normalQuantile;
  return { slope, mean, margin: quantile * Math.sqrt(residuals / freedom / spread) };
}

/** Means of groups of consecutive points: neighbours that depend on each other would make the confidence look better than it is. */
export function averageGroups(points: readonly Point[], size: number): Point[] {
  const groups: Point[] = [];
  for (let start = 0; start + size <= points.length; start += size) {
    const group = points.slice(start, start + size);
    const sum = group.reduce((so, { x, y }) => ({ x: so.x + x, y: so.y + y }), { x: 0, y: 0 });
    groups.push({ x: sum.x / size, y: sum.y / size });
  }
  return groups;
}
