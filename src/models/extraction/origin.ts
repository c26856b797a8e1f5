// Owns the origin of an item: where it was said and by whom, as far as the text or its message says so. Pure.

import type { ExtractionSource, UtteranceRange } from "../../memory/extraction/extractor.ts";
import type { Origin } from "../../memory/origin.ts";
import { countCharacters } from "../../platform/text/characters.ts";
import type { TextRange } from "../../platform/text/passages.ts";

/** Who said the words of an item, and when. */
export type Said = Pick<Origin, "role" | "name" | "saidAt">;

/**
 * @param message in which it was said; null: in a text
 * @param place of the words in the text of the source
 * @returns null: nothing is known
 */
export function toOrigin(
  said: Said,
  message: UtteranceRange | null,
  place: TextRange,
  { text, conversation }: ExtractionSource,
): Origin | null {
  const origin = { conversation, message: message?.id ?? null, ...said };
  if (Object.values(origin).every((each) => each === null)) return null;
  if (message === null || message.id === null) return origin;
  const start = countCharacters(text.slice(message.start, place.start));
  const end = start + countCharacters(text.slice(place.start, place.end));
  return { ...origin, span: { start, end } };
}
