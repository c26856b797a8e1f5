// Owns the interface of redactors: what keeps secrets out of memories. A redactor never returns or logs the text of a secret.

import type { Waiter } from "../../platform/scheduling/fair-queue.ts";
import type { ExtractedItem, ExtractionSource } from "./extractor.ts";

/** Secrets of one kind that were removed. */
export interface Redaction {
  /** Such as "github" or "password". */
  readonly kind: string;
  readonly count: number;
}

export interface RedactedSource {
  readonly source: ExtractionSource;
  /** Without secrets: empty. */
  readonly redacted: readonly Redaction[];
}

export interface RedactedItems {
  readonly items: readonly ExtractedItem[];
  readonly redacted: readonly Redaction[];
}

/** Both methods throw what Extractor.extract throws, except 2103. Nothing goes on without them: a redactor that fails fails the call. */
export interface Redactor {
  /** Removes secrets from a text before an extractor reads it. */
  redactSource(source: ExtractionSource, waiter: Waiter): Promise<RedactedSource>;
  /** Drops the items that contain a secret, or the place of a removed one. */
  redactItems(items: readonly ExtractedItem[], waiter: Waiter): Promise<RedactedItems>;
}

/** Adds the counts of the same kind. */
export function addRedactions(...lists: readonly (readonly Redaction[])[]): Redaction[] {
  const counts = new Map<string, number>();
  for (const { kind, count } of lists.flat()) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
