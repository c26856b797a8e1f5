// Owns extraction without a language model, by rules and word lists only. docs/user/EXTRACTION.md describes what they can and cannot do.
// Must never return a statement that the text does not make.

import type { ExtractedItem, ExtractionDetail, ExtractionSource } from "../../memory/extractor.ts";
import { splitSentences } from "../sentences.ts";
import { toEssential } from "./essential.ts";
import type { Language } from "./lexicon/language.ts";
import { parseMessageTime } from "./message-time.ts";
import { isPromptInjection } from "./prompt-injection.ts";
import { userOfAssistant } from "./speakers.ts";
import { toStatements } from "./statements.ts";
import { languageOfText } from "./text-language.ts";
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
    const { saidAt } = passage;
    for (const item of readPassage(text, passage, language, now, source.detail)) {
      const key = item.content.toLowerCase();
      if (!seen.has(key)) items.push(saidAt === null ? item : { ...item, saidAt });
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
  detail: ExtractionDetail,
): Generator<ExtractedItem> {
  // A passage with a prompt injection is skipped as a whole, because its other sentences are not reliable either.
  if (isPromptInjection(passage.text.replace(/\s+/g, " "))) return;
  const sentences = splitSentences(passage.text);
  const found = sentences.map((sentence) => toEssential(text, passage, sentence, language, now));
  if (detail === "full") yield* toStatements(text, passage, language, now, sentences, found);
  else yield* found.filter((item) => item !== null);
}
