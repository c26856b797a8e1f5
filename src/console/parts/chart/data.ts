// Owns the types of a chart, which its component and its drawing share.

export interface Series {
  readonly label: string;
  /** One value for each time, 0 or more; null: a gap. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of tokens.css, such as `--chart-1`. */
  readonly color: string;
}

export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Of the values on the axis and below the chart; an empty text: the axis has no line at this value. */
  readonly format: (value: number) => string;
}
