// Owns the form in which a thread sends what it has found for many queries: a few arrays, because each array of a message takes as long as a
// hundred rows in it. Must never change what was found.

import type { ScanFound, ScanQuery } from "./scan-task.ts";

/** The rows of all queries, one query after another. */
export interface PackedFound {
  /** How many rows each query has. */
  readonly lengths: readonly number[];
  readonly slots: Uint32Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** 0 for a query without words; null: no query has words. */
  readonly keywords: Float64Array | null;
}

/** @param found for each query */
export function packFound(found: readonly ScanFound[]): PackedFound {
  const lengths = found.map(({ slots }) => slots.length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const hasWords = found.some(({ keywords }) => keywords !== null);
  const packed = {
    lengths,
    slots: new Uint32Array(total),
    lower: new Float64Array(total),
    upper: new Float64Array(total),
    keywords: hasWords ? new Float64Array(total) : null,
  };
  let at = 0;
  for (const { slots, lower, upper, keywords } of found) {
    packed.slots.set(slots, at);
    packed.lower.set(lower, at);
    packed.upper.set(upper, at);
    if (keywords !== null) packed.keywords?.set(keywords, at);
    at += slots.length;
  }
  return packed;
}

/** @param queries of the task @returns for each query, views of the packed arrays */
export function unpackFound(
  { lengths, slots, lower, upper, keywords }: PackedFound,
  queries: readonly Pick<ScanQuery, "keywords">[],
): readonly ScanFound[] {
  let end = 0;
  return queries.map((query, at) => {
    const start = end;
    end += lengths[at] ?? 0;
    return {
      slots: slots.subarray(start, end),
      lower: lower.subarray(start, end),
      upper: upper.subarray(start, end),
      keywords: query.keywords === null ? null : (keywords?.subarray(start, end) ?? null),
    };
  });
}
