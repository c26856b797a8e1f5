// Owns extraction without a language model, by rules and word lists only. docs/user/EXTRACTION.md describes what they can and cannot do.
// Must never return a statement that the text does not make.

import type { ExtractedItem, ExtractionSource } from "../../memory/extractor.ts";
import { sentenceMaxCharacters, sentenceMinCharacters } from "../limits.ts";
import { splitSentences } from "../sentences.ts";
import { memoryTypeOf, rateImportance } from "./classify.ts";
import { findExpiry } from "./expiry.ts";
import { categoryOfSection, isUnsettled } from "./headings.ts";
import type { Language } from "./lexicon/language.ts";
import { toMemoryText, withoutMarkup, withoutTrailingComment } from "./memory-text.ts";
import { parseMessageTime } from "./message-time.ts";
import { isPromptInjection } from "./prompt-injection.ts";
import { findCategory, passesExclusions } from "./relevance-filter.ts";
import { isSmallTalk } from "./small-talk.ts";
import { userOfAssistant } from "./speakers.ts";
import { languageOfSentence, languageOfText } from "./text-language.ts";
import { type Passage, readPassages } from "./transcript.ts";

/** Length of the beginning of a text from which its language is detected. */
const languageSampleCharacters = 20_000;

/** The items of the text in its order. `now`: milliseconds since 1970. Takes time linear in the length of the text. */
export function extractByRules(source: ExtractionSource, now: number): ExtractedItem[] {
  const { text } = source;
  const language = languageOfText(text.slice(0, languageSampleCharacters));
  const items: ExtractedItem[] = [];
  const seen = new Set<string>();
  for (const passage of passagesOf(source, now)) {
    if (passage.speaker.role === "assistant") continue;
    for (const item of readPassage(text, passage, language, now)) {
      const key = item.content.toLowerCase();
      if (!seen.has(key)) items.push(item);
      seen.add(key);
    }
  }
  return items;
}

/** The passages of the text, or of what the user says in it. A user may have pasted a transcript, so a message can have other speakers. */
function passagesOf({ text, utterances }: ExtractionSource, now: number): Passage[] {
  const toTime = timeReader(now);
  if (utterances === null) return readPassages(text, toTime);
  return utterances.flatMap(({ speaker, start, end }) => {
    if (speaker === "assistant") return [];
    const passages = readPassages(text.slice(start, end), toTime, userOfAssistant);
    return passages.map((passage) => ({ ...passage, start: start + passage.start }));
  });
}

/** Parses times and caches them: chats repeat the same time in many lines, and the date parser is slow. */
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
  // A passage with a prompt injection is skipped as a whole, because its other sentences are not reliable either.
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
