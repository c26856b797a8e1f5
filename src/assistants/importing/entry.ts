// Owns what a reader makes of a source: memories to create, and places that it cannot read or that it leaves out.

import { createHash } from "node:crypto";
import type { batchItem } from "../../calls/operations/memories/batch-item.ts";

/** A memory as a source has it. The fields are those of an item of a batch, and are not checked yet. Absent: the source does not say. */
export type FoundMemory = { readonly content: unknown } & {
  /** `subject`: whose memory it is; absent: the project's own. */
  readonly [Name in keyof typeof batchItem.properties | "subject"]?: unknown;
};

export type Entry = { readonly line: number } & (
  | { readonly memory: FoundMemory }
  /** Completes a sentence that begins with the place, such as "is not valid JSON". */
  | { readonly fault: string }
  | { readonly skipped: string }
);

/** The id of something that has none at its source: the same texts give the same id. */
export function sourceIdOf(format: string, ...texts: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 32);
  return `${format}:${digest}`;
}
