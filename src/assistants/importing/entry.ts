// Owns what a reader makes of a source: memories to create, and places that it cannot read or that it leaves out.

import { createHash } from "node:crypto";

/** A memory as a source has it. The fields are those of an item of a batch, and are not checked yet. */
export interface FoundMemory {
  readonly content: unknown;
  /** Absent: the source does not say. */
  readonly memory_type?: unknown;
  readonly importance?: unknown;
  readonly expires_at?: unknown;
  readonly tags?: unknown;
  readonly metadata?: unknown;
  readonly is_active?: unknown;
  readonly source_id?: unknown;
  /** Who said it and when. */
  readonly origins?: unknown;
  /** What is in front of it, such as headings. */
  readonly lead?: unknown;
  /** Whose memory it is; absent: the project's own. */
  readonly subject?: unknown;
}

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
