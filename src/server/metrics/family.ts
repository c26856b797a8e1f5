// Owns the type of a metric: its name, its labels, and how its values follow from the facts. Must never import the library that prints
// metrics, so that the table of metrics can be read without it.

import type { DistributionState } from "../../platform/statistics/distribution.ts";
import type { Facts } from "./facts.ts";

export type Labels = Readonly<Record<string, string>>;

/** One value; without labels if the metric has none. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface DistributionSample {
  readonly labels?: Labels;
  readonly state: DistributionState;
}

interface Named {
  readonly name: string;
  /** One sentence, for people. */
  readonly help: string;
  /** Names of the labels; absent: none. Their values come from fixed sets of this program, never from what a client has sent. */
  readonly labels?: readonly string[];
}

export interface SingleFamily extends Named {
  readonly type: "counter" | "gauge";
  /** @returns no value if the facts are not known, or do not exist yet */
  read(facts: Facts): readonly Sample[];
}

export interface HistogramFamily extends Named {
  readonly type: "histogram";
  readonly bounds: readonly number[];
  read(facts: Facts): readonly DistributionSample[];
}

export type Family = SingleFamily | HistogramFamily;

/** A single value without labels; null: it is not known, or does not exist. */
export function one(value: number | null | undefined): readonly Sample[] {
  return value === null || value === undefined ? [] : [{ value }];
}

/** As `one`, for a time in milliseconds since 1970: the metric has seconds. */
export function time(ms: number | null | undefined): readonly Sample[] {
  return one(ms === null || ms === undefined ? null : ms / 1_000);
}

/** As `one`, for a distribution without labels. */
export function distribution(state: DistributionState | null | undefined): readonly DistributionSample[] {
  return state === null || state === undefined ? [] : [{ state }];
}
