// Owns the detail "essential": a sentence becomes an item only if one of the word lists gives a reason. Must never change a word of it.

import type { ExtractedItem } from "../../../memory/extraction/extractor.ts";
import { categoryOfSection, isUnsettled } from "../../../platform/text/headings.ts";
import { onOneLine } from "../../../platform/text/one-line.ts";
import { sentenceMaxCharacters, sentenceMinCharacters } from "../limits.ts";
import type { Sentence } from "../sentences.ts";
import { memoryTypeOf, rateImportance } from "./classify.ts";
import { findExpiry } from "./expiry.ts";
import type { Language } from "./lexicon/language.ts";
import { withoutMarkup, withoutTrailingComment } from "./plain-sentence.ts";
import { findCategory, passesExclusions } from "./relevance-filter.ts";
import { isSmallTalk } from "./small-talk.ts";
import { languageOfSentence } from "./text-language.ts";
import type { Passage } from "./transcript.ts";

/** Null if there is no reason to remember the sentence. `now`: milliseconds since 1970. */
export function toEssential(
  text: string,
  passage: Passage,
  sentence: Sentence,
  language: Language,
  now: number,
): Omit<ExtractedItem, "origin" | "lead"> | null {
  const { length } = sentence.text;
  if (length < sentenceMinCharacters || length > sentenceMaxCharacters) return null;
  const unmarked = withoutMarkup(sentence.text);
  const spoken = languageOfSentence(unmarked, language);
  const clean = spoken === "en" ? withoutTrailingComment(unmarked) : unmarked;
  if (!passesExclusions(clean, spoken)) return null;
  const said = passage.saidAt ?? now;
  const { at, isDated } = findExpiry(clean, spoken, said);
  if (at !== null && at < now) return null;
  const category =
    findCategory(clean, spoken, at !== null) ??
    (passage.isItem ? categoryOfSection(passage.heading) : null) ??
    (isDated ? "deadline" : null);
  if (category === null || isSmallTalk(clean, category, spoken, passage.speaker)) return null;
  if (isUnsettled(passage.heading) && category !== "correction") return null;
  const start = passage.start + sentence.start;
  const evidence = text.slice(start, start + sentence.text.length);
  return {
    content: onOneLine(evidence),
    type: memoryTypeOf(category, at),
    importance: rateImportance(category, clean),
    expiresAt: at,
    evidence,
  };
}
