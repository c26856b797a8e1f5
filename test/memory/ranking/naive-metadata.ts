// Owns the rule about filters by metadata, written down once more and as plainly as possible, and random metadata and filters whose values
// are easily confused. Uses no part of src.

import type { MetadataFilter } from "../../../src/memory/search/metadata-filter.ts";
import type { Json, JsonObject } from "../../../src/platform/json/json.ts";
import { pick, type Random } from "./adversarial-vectors.ts";

const compare = {
  number: (a: unknown, b: unknown) => Math.sign(Number(a) - Number(b)),
  string(a: unknown, b: unknown) {
    const [one, other] = [a, b].map((text) => Array.from(String(text), (each) => each.codePointAt(0) ?? 0));
    for (let at = 0; ; at++) {
      const [left = -1, right = -1] = [one?.[at], other?.[at]];
      if (left !== right) return left < right ? -1 : 1;
      if (left === -1) return 0;
    }
  },
};

const accepted = { gt: [1], gte: [0, 1], lt: [-1], lte: [-1, 0] } as const;

export function isDescribed(metadata: JsonObject | null, filter: MetadataFilter): boolean {
  return filter.every(({ name, in: choices, bounds, isWanted }) => {
    const [, value] = Object.entries(metadata ?? {}).find(([known]) => known === name) ?? [];
    let isMet = value !== undefined;
    if (choices !== null && !choices.some((choice) => Object.is(choice, value))) isMet = false;
    for (const { order, value: bound } of bounds) {
      const kind = typeof bound === "number" ? "number" : "string";
      const outcomes: readonly number[] = accepted[order];
      if (typeof value !== kind || !outcomes.includes(compare[kind](value, bound))) isMet = false;
    }
    return isMet === isWanted;
  });
}

const names = ["n", "n", "n", "user", "7", "__proto__", 'a"b\\c', "\u{1f600}"];
const strings = [
  "",
  "a",
  "aa",
  "b",
  "\u00e9",
  "e\u0301",
  "\uffff",
  "\u{1f600}",
  "a\u0000",
  "1",
  "true",
  "null",
];
const numbers = [
  0,
  1,
  -1,
  1.5,
  0.1 + 0.2,
  0.3,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 63,
  1e21,
  5e-324,
  -1.7976931348623157e308,
];
const others: readonly Json[] = [null, [], ["a"], {}, { n: 1 }];

export function someMetadata(random: Random): JsonObject | null {
  if (random() < 0.4) return null;
  const count = 1 + Math.floor(random() * 4);
  const value = (): Json =>
    pick(random, pick<readonly Json[]>(random, [strings, numbers, [true, false], others]));
  const member = (): [string, Json] => [pick(random, names), value()];
  return Object.fromEntries(Array.from({ length: count }, member));
}

/** In the form of the API. */
export function someMetadataFilter(random: Random): JsonObject {
  const value = () => pick(random, [pick(random, strings), pick(random, numbers), random() < 0.5]);
  const bound = () => pick(random, [pick(random, strings), pick(random, numbers)]);
  const condition = () =>
    pick(random, [
      value(),
      value(),
      { exists: random() < 0.5 },
      { in: Array.from({ length: 1 + Math.floor(random() * 4) }, value) },
      { [pick(random, ["gt", "gte"])]: bound() },
      { [pick(random, ["lt", "lte"])]: bound() },
      { gte: bound(), lt: bound() },
      { gt: -2, lte: pick(random, numbers) },
      { gte: "", lte: pick(random, strings) },
      { exists: true, gt: bound(), in: [value(), value(), value()] },
    ]);
  const count = random() < 0.7 ? 1 : 2;
  return Object.fromEntries(Array.from({ length: count }, () => [pick(random, names), condition()]));
}
