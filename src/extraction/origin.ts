// Owns the origin of an item: where it was said and by whom, as far as the text or its message says so. Pure.

import type { ExtractionSource, UtteranceRange } from "../memory/extractor.ts";
import type { Origin } from "../memory/origin.ts";

/** Who said the words of an item, and when. */
export type Said = Pick<Origin, "role" | "name" | "saidAt">;

/** @param message in which it was said; null: in a text. @returns null: nothing is known */
export function toOrigin(
  said: Said,
  message: UtteranceRange | null,
  { conversation }: ExtractionSource,
): Origin | null {
  const origin = { conversation, message: message?.id ?? null, ...said };
  return Object.values(origin).every((each) => each === null) ? null : origin;
}
