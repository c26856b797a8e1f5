// Owns the detail "essential" without a language model, by rules and word lists only. docs/user/EXTRACTION.md describes what they can and
// cannot do. Must never return a text that is no part of the text.

import type {
  ExtractedItem,
  ExtractionSource,
  UtteranceRange,
} from "../../../memory/extraction/extractor.ts";
import { leadOf } from "../../../memory/origin.ts";
import { onOneLine } from "../../../platform/text/one-line.ts";
import { type Said, toOrigin } from "../origin.ts";
import { splitSentences } from "../sentences.ts";
import { toEssential } from "./essential.ts";
import { timeReader } from "./message-time.ts";
import { isPromptInjection } from "./prompt-injection.ts";
import { roleOf, userOfAssistant } from "./speakers.ts";
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
  for (const { passage, message } of passagesOf(source, now)) {
    // What is beside a prompt injection is not reliable, either.
    if (passage.speaker.role === "assistant" || isPromptInjection(onOneLine(passage.text))) continue;
    const said = saidBy(passage, message);
    const lead = leadOf(said.name);
    for (const sentence of splitSentences(passage.text)) {
      const found = toEssential(text, { ...passage, saidAt: said.saidAt }, sentence, language, now);
      const key = `${said.name}: ${found?.content.toLowerCase()}`;
      if (found !== null && !seen.has(key)) {
        const start = passage.start + sentence.start;
        const place = { start, end: start + sentence.text.length };
        items.push({ ...found, origin: toOrigin(said, message, place, source), lead });
      }
      seen.add(key);
    }
  }
  return items;
}

interface Placed {
  readonly passage: Passage;
  /** In which it is; null: the source is a text. */
  readonly message: UtteranceRange | null;
}

/** The passages of the text, or of what the user says in it. A user may have pasted a transcript, so a message can have other speakers. */
function passagesOf({ text, utterances }: ExtractionSource, now: number): Placed[] {
  const toTime = timeReader(now);
  if (utterances === null) return readPassages(text, toTime).map((passage) => ({ passage, message: null }));
  return utterances.flatMap((message) => {
    const { speaker, start, end } = message;
    if (speaker === "assistant") return [];
    const passages = readPassages(text.slice(start, end), toTime, userOfAssistant);
    return passages.map((each) => ({ passage: { ...each, start: start + each.start }, message }));
  });
}

/** The user of a message has its name and time; whoever speaks in a transcript has those that the transcript says. */
function saidBy({ speaker, saidAt }: Passage, message: UtteranceRange | null): Said {
  const { name } = speaker;
  if (message === null || speaker !== userOfAssistant) return { role: roleOf(speaker), name, saidAt };
  return { role: "user", name: message.name, saidAt: message.saidAt };
}
