// Owns how extraction is measured against the annotated texts. Must never print a text: of the unseen half only totals may be known.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface AnnotatedText {
  readonly id: string;
  readonly kind: string;
  readonly language: string;
  readonly now: string;
  readonly text: string;
  readonly remember: readonly {
    readonly evidence: string;
    readonly type: string;
    readonly expires: string | null;
  }[];
}

/** What is compared of an extracted item. */
export interface Found {
  readonly evidence: string;
  readonly type: string;
  readonly expiresAt: number | null;
}

/** Counts, so that those of several texts can be added. */
export interface Score {
  readonly texts: number;
  readonly items: number;
  /** Items that overlap an annotated range. */
  readonly right: number;
  readonly annotated: number;
  /** Annotated ranges that an item overlaps. */
  readonly found: number;
  /** Of those found: type and last day as annotated. */
  readonly typesRight: number;
  readonly expiriesRight: number;
}

export function loadAnnotated(half: "seen" | "unseen"): AnnotatedText[] {
  return JSON.parse(
    readFileSync(join(import.meta.dir, "annotated", `${half}.json`), "utf8"),
  ) as AnnotatedText[];
}

/**
 * An item and an annotated range are about the same where they share at least half of the shorter one's characters. Where several
 * items overlap an annotated range, the first counts for type and expiry.
 */
export function scoreText({ text, remember }: AnnotatedText, items: readonly Found[]): Score {
  const matches = remember.map((expected) => ({
    expected,
    item: items.find((item) => overlaps(text, expected.evidence, item.evidence)),
  }));
  const found = matches.filter(({ item }) => item !== undefined);
  return {
    texts: 1,
    items: items.length,
    right: items.filter((item) => remember.some(({ evidence }) => overlaps(text, evidence, item.evidence)))
      .length,
    annotated: remember.length,
    found: found.length,
    typesRight: found.filter(({ expected, item }) => expected.type === item?.type).length,
    expiriesRight: found.filter(({ expected, item }) => expected.expires === lastDay(item?.expiresAt ?? null))
      .length,
  };
}

export const emptyScore: Score = {
  texts: 0,
  items: 0,
  right: 0,
  annotated: 0,
  found: 0,
  typesRight: 0,
  expiriesRight: 0,
};

export function addScores(one: Score, other: Score): Score {
  return {
    texts: one.texts + other.texts,
    items: one.items + other.items,
    right: one.right + other.right,
    annotated: one.annotated + other.annotated,
    found: one.found + other.found,
    typesRight: one.typesRight + other.typesRight,
    expiriesRight: one.expiriesRight + other.expiriesRight,
  };
}

export function rates({ items, right, annotated, found, typesRight, expiriesRight }: Score) {
  const precision = items === 0 ? 1 : right / items;
  const recall = annotated === 0 ? 1 : found / annotated;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1, types: typesRight / found, expiries: expiriesRight / found };
}

function overlaps(text: string, one: string, other: string): boolean {
  const [from, start] = [text.indexOf(one), text.indexOf(other)];
  if (from < 0 || start < 0) return false;
  const shared = Math.min(from + one.length, start + other.length) - Math.max(from, start);
  return shared * 2 >= Math.min(one.length, other.length);
}

function lastDay(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString().slice(0, 10);
}
