// Owns the types of a chart, which its component and its canvas share.

export interface Series {
  readonly label: string;
  /** One value for each time; null: a gap. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of tokens.css, such as `--chart-1`. */
  readonly color: string;
}

export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

export interface ChartOptions extends ChartData {
  /** In pixels. */
  readonly height: number;
  /** Of the values on the axis and in the legend. */
  readonly format: (value: number) => string;
  /** Otherwise times are local. */
  readonly isUtc: boolean;
}

export interface Canvas {
  readonly update: (data: ChartData) => void;
  readonly end: () => void;
}
