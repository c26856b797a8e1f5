// Owns extraction without a language model: rules and word lists, nothing else. docs/EXTRACTION.md says what they can and cannot do.
// Must never return what the text does not say.

import { sentenceMinCharacters } from "../../limits.ts";
import type { ExtractedItem } from "../../memory/extraction.ts";
import { splitSentences } from "../sentences.ts";
import { rateImportance, typeOf } from "./classify.ts";
import { findExpiry } from "./expiry.ts";
import type { Language } from "./lexicon/language.ts";
import type { Category } from "./lexicon/lexicon.ts";
import { lexicons } from "./lexicon/lexicons.ts";
import { isOrderToReader } from "./noise.ts";
import { inThirdPerson } from "./perspective.ts";
import type { Speaker } from "./speakers.ts";
import { readTime } from "./time.ts";
import { type Passage, readPassages } from "./transcript.ts";
import { findCategory, languageOfSentence, languageOfText, mayBeKept } from "./worth.ts";

/** Of the beginning of a text, which tells its language. */
const languageSampleCharacters = 20_000;

/** Everything worth remembering in the text, in its order. `now`: milliseconds since 1970. Takes time linear in the text's length. */
export function extractByRules(text: string, now: number): ExtractedItem[] {
  const language = languageOfText(text.slice(0, languageSampleCharacters));
  const items: ExtractedItem[] = [];
  const seen = new Set<string>();
  for (const passage of readPassages(text, (date) => readTime(date, now))) {
    if (passage.speaker.role === "assistant") continue;
    for (const item of readPassage(text, passage, language, now)) {
      const key = item.content.toLowerCase();
      if (!seen.has(key)) items.push(item);
      seen.add(key);
    }
  }
  return items;
}

/** Sections in which nothing is settled, and legal text. */
const skippedHeadings =
  /\b(?:open(?: questions| points| issues)?|questions|ideas|parking lot|brainstorm\w*|not agreed|licen[cs]e|copyright|present|attendees|participants|offene?|ideen|anwesend|lizenz|idées|présents|ideas|preguntas|licencia|ideias|perguntas|idee|domande|licenza|example|examples|disclaimer)\b/i;

/** Sections in which every item was settled. */
const settledHeadings: readonly (readonly [RegExp, Category])[] = [
  [
    /\b(?:rules?|conventions?|guidelines?|policy|policies|regeln|vorgaben|règles|reglas|normas|regras|regole)\b/i,
    "rule",
  ],
  [
    /\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|beschlüsse|entscheidungen|vereinbart|décisions?|decisiones|acuerdos|decisões|acordos|decisioni|accordi)\b/i,
    "decision",
  ],
];

function* readPassage(
  text: string,
  passage: Passage,
  language: Language,
  now: number,
): Generator<ExtractedItem> {
  // Whoever gives orders to the reader is not to be believed in the sentences around them either.
  if (isOrderToReader(passage.text.replace(/\s+/g, " "))) return;
  for (const sentence of splitSentences(passage.text)) {
    if (sentence.text.length < sentenceMinCharacters) continue;
    const clean = withoutMarkup(sentence.text);
    const spoken = languageOfSentence(clean, language);
    if (!mayBeKept(clean, spoken)) continue;
    const said = passage.saidAt ?? now;
    const { at, isRelative, isDated } = findExpiry(clean, spoken, said);
    if (at !== null && at < now) continue;
    const category =
      findCategory(clean, spoken, at !== null) ?? settled(passage) ?? (isDated ? "deadline" : null);
    if (category === null || isAboutTheOther(clean, category, passage.speaker)) continue;
    if (skippedHeadings.test(passage.heading) && category !== "correction") continue;
    const start = passage.start + sentence.start;
    yield {
      content: toContent(clean, passage, spoken, isRelative ? said : null),
      type: typeOf(category, at),
      importance: rateImportance(category, clean),
      expiresAt: at,
      evidence: text.slice(start, start + sentence.text.length),
    };
  }
}

/** "You love pottery!" of one person to another is talk, not knowledge. Of a user to an assistant it is an order. */
function isAboutTheOther(sentence: string, category: Category, { role, addressee }: Speaker): boolean {
  if (role !== "person" || addressee === "the assistant" || addressee === null) return false;
  if (
    category === "rule" &&
    sentence.endsWith("!") &&
    !/\b(?:must|never|always|nie|jamais|nunca|mai)\b/i.test(sentence)
  )
    return true;
  const [, before] = /^(.*?)(?<!\p{L})(?:you|yours?|ya)(?!\p{L})/iu.exec(sentence) ?? [];
  return talkative.has(category) && before !== undefined && !/\b(?:i|my|we|our)\b/i.test(before);
}

const talkative: ReadonlySet<Category> = new Set(["state", "preference", "relation", "decision", "change"]);

function settled({ heading, isItem }: Passage): Category | null {
  if (!isItem || skippedHeadings.test(heading)) return null;
  return settledHeadings.find(([pattern]) => pattern.test(heading))?.[1] ?? null;
}

function toContent(sentence: string, { speaker }: Passage, language: Language, said: number | null): string {
  const plain = sentence
    .replace(lexicons[language].fillers, "")
    .replace(/[\s\p{Extended_Pictographic}]+$/u, "");
  const core = withSubject(plain, speaker, language);
  const name = speaker.name ?? "the user";
  const group = speaker.role === "unknown" ? "the team" : name;
  const content =
    language === "en"
      ? inThirdPerson(core, { speaker: name, group, addressee: speaker.addressee })
      : inOwnWords(core, language, speaker);
  return said === null ? content : `${content} (said on ${new Date(said).toISOString().slice(0, 10)})`;
}

/** "Lost my job." says "I" without the word. */
function withSubject(core: string, { role }: Speaker, language: Language): string {
  if (role !== "person" || language !== "en" || !subjectless.test(core)) return core;
  return `I ${core.slice(0, 1).toLowerCase()}${core.slice(1)}`;
}

const subjectless =
  /^(?:just |also |finally |recently )?(?:lost|got|started|went|had|been|moved|bought|sold|quit|finished|signed|booked|took|made|joined|adopted|found|became|left|met|won|broke|applied|switched|stopped|gave|love|prefer|hate|live|work|need) /i;

/** Verbs of other languages are not turned: who speaks is put in front instead, where somebody speaks of themselves. */
function inOwnWords(core: string, language: Language, { name, role }: Speaker): string {
  const { firstPerson, firstPlural, user } = lexicons[language];
  const speaks = firstPerson.test(core) && (role === "person" || !firstPlural.test(core));
  const text = core.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return speaks ? `${name ?? user}: ${text}` : text;
}

/** The text without the marks of Markdown, on one line. */
function withoutMarkup(sentence: string): string {
  return sentence
    .replace(/\s+/g, " ")
    .replace(/\s\[[^\]]{1,200}\]$/, "")
    .replace(/!?\[([^\]]{1,200})\]\([^)]{1,300}\)/g, "$1")
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, "")
    .trim();
}
