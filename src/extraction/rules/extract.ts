// Owns extraction without a language model: rules and word lists, nothing else. docs/user/EXTRACTION.md says what they can and cannot do.
// Must never return what the text does not say.

import { sentenceMaxCharacters, sentenceMinCharacters } from "../../limits.ts";
import type { ExtractedItem } from "../../memory/extractor.ts";
import { splitSentences } from "../sentences.ts";
import { memoryTypeOf, rateImportance } from "./classify.ts";
import { findExpiry } from "./expiry.ts";
import { categoryOfSection, isUnsettled } from "./headings.ts";
import type { Language } from "./lexicon/language.ts";
import { toMemoryText, withoutMarkup, withoutTrailingComment } from "./memory-text.ts";
import { parseMessageTime } from "./message-time.ts";
import { isPromptInjection } from "./prose.ts";
import { findCategory, languageOfSentence, languageOfText, passesExclusions } from "./relevance-filter.ts";
import { isSmallTalk } from "./small-talk.ts";
import { type Passage, readPassages } from "./transcript.ts";

/** Of the beginning of a text, which tells its language. */
const languageSampleCharacters = 20_000;

/** Everything worth remembering in the text, in its order. `now`: milliseconds since 1970. Takes time linear in the text's length. */
export function extractByRules(text: string, now: number): ExtractedItem[] {
  const language = languageOfText(text.slice(0, languageSampleCharacters));
  const items: ExtractedItem[] = [];
  const seen = new Set<string>();
  for (const passage of readPassages(text, timeReader(now))) {
    if (passage.speaker.role === "assistant") continue;
    for (const item of readPassage(text, passage, language, now)) {
      const key = item.content.toLowerCase();
      if (!seen.has(key)) items.push(item);
      seen.add(key);
    }
  }
  return items;
}

/** Chats repeat the same time in many lines, and the date parser is slow. */
function timeReader(now: number): (words: string) => number | null {
  const known = new Map<string, number | null>();
  return (words) => {
    const before = known.get(words);
    if (before !== undefined) return before;
    const time = parseMessageTime(words, now);
    known.set(words, time);
    return time;
  };
}

function* readPassage(
  text: string,
  passage: Passage,
  language: Language,
  now: number,
): Generator<ExtractedItem> {
  // Whoever gives orders to the reader is not to be believed in the sentences around them either.
  if (isPromptInjection(passage.text.replace(/\s+/g, " "))) return;
  for (const sentence of splitSentences(passage.text)) {
    const { length } = sentence.text;
    if (length < sentenceMinCharacters || length > sentenceMaxCharacters) continue;
    const unmarked = withoutMarkup(sentence.text);
    const spoken = languageOfSentence(unmarked, language);
    const clean = spoken === "en" ? withoutTrailingComment(unmarked) : unmarked;
    if (!passesExclusions(clean, spoken)) continue;
    const said = passage.saidAt ?? now;
    const { at, isRelative, isDated } = findExpiry(clean, spoken, said);
    if (at !== null && at < now) continue;
    const category =
      findCategory(clean, spoken, at !== null) ??
      (passage.isItem ? categoryOfSection(passage.heading) : null) ??
      (isDated ? "deadline" : null);
    if (category === null || isSmallTalk(clean, category, spoken, passage.speaker)) continue;
    if (isUnsettled(passage.heading) && category !== "correction") continue;
    const start = passage.start + sentence.start;
    yield {
      content: toMemoryText(clean, passage.speaker, spoken, isRelative ? said : null),
      type: memoryTypeOf(category, at),
      importance: rateImportance(category, clean),
      expiresAt: at,
      evidence: text.slice(start, start + sentence.text.length),
    };
  }
}
