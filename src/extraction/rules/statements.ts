// Owns the detail "full": every statement about a person, a thing, a plan or an event becomes an item. Must never return a statement that the
// text does not make, nor lose who makes it.

import type { ExtractedItem } from "../../memory/extractor.ts";
import { sentenceMaxCharacters, sentenceMinCharacters } from "../limits.ts";
import type { Sentence } from "../sentences.ts";
import { dayInWords, withAbsoluteDates } from "./absolute-dates.ts";
import { endWords } from "./date-words.ts";
import { isUnsettled } from "./headings.ts";
import { contentWords, saysSomething } from "./information.ts";
import type { Language } from "./lexicon/language.ts";
import { inEnglish, withImpliedSubject, withoutMarkup, withoutTag } from "./memory-text.ts";
import { isCodeLine, isProse } from "./prose.ts";
import { isQuestion } from "./relevance-filter.ts";
import { shorten } from "./shortening.ts";
import { languageOfSentence } from "./text-language.ts";
import type { Passage } from "./transcript.ts";
import { hasUnresolvedReference } from "./unresolved-references.ts";
import { isBaseForm } from "./verbs.ts";

/** Of a statement that is not essential: below that of every essential item. */
const statementImportance = 0.3;
/** Length of sentences that become one item. */
const itemMaxCharacters = 320;

interface Statement {
  /** Shortened, with absolute dates, in the words of the speaker. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly importance: number;
  readonly isDated: boolean;
  readonly isRelative: boolean;
  readonly needsContext: boolean;
  readonly content: readonly string[];
}

/**
 * The items of a passage in its order. `essential`: what the detail "essential" makes of each sentence. Rules and what ends are items of
 * their own; of other statements, consecutive ones that need each other are one item.
 */
export function* toStatements(
  text: string,
  passage: Passage,
  language: Language,
  now: number,
  sentences: readonly Sentence[],
  essential: readonly (ExtractedItem | null)[],
): Generator<ExtractedItem> {
  const said = passage.saidAt ?? now;
  const names = namesOf(passage);
  let group: Statement[] = [];
  for (const [at, sentence] of sentences.entries()) {
    const item = essential[at] ?? null;
    const isAlone = item !== null && (staysAsItIs(item) || !isEnglish(sentence, language));
    const statement = isAlone ? null : toStatement(passage, sentence, language, said, names, item);
    if (isAlone || (statement !== null && !belongsTo(group, statement))) {
      yield* joined(text, group, passage, now);
      group = [];
    }
    if (isAlone) yield item;
    if (statement !== null) group.push(statement);
  }
  yield* joined(text, group, passage, now);
}

/** Rules, and what lasts until a day. An event on a day becomes a fact, because it stays true that it took place. */
function staysAsItIs({ type, evidence }: ExtractedItem): boolean {
  return (
    type === "rule" ||
    (type === "context" && (endWords.test(evidence) || presently.test(evidence) || isOrder(evidence)))
  );
}

/** "The lift is out of order this week." */
const presently =
  /(?<!\p{L})(?:is|are) .{1,200}(?<!\p{L})(?:this|current) (?:week|sprint|month|quarter)(?!\p{L})/iu;

/** "Write an e-mail to Petra." */
function isOrder(sentence: string): boolean {
  const [, verb = ""] =
    /^(?:(?:please|now|then|also|and|so|ok(?:ay)?),? ){0,3}([\p{L}'’]+)/iu.exec(sentence) ?? [];
  return task.test(verb) || (isBaseForm(verb) && !/^(?:have|had|am|gonna|wanna|gotta)$/i.test(verb));
}

/** Verbs of tasks that are not in the list of verbs of people. */
const task =
  /^(?:add|analy[sz]e|compare|compute|convert|debug|delete|fix|format|generate|implement|install|list|make|optimi[sz]e|refactor|remove|rename|rewrite|simplify|suggest|summari[sz]e)$/i;

function isEnglish(sentence: Sentence, language: Language): boolean {
  return languageOfSentence(withoutMarkup(sentence.text), language) === "en";
}

/** Of the speaker and the addressee, in small letters, each word. */
function namesOf({ speaker: { name, addressee } }: Passage): ReadonlySet<string> {
  return new Set(`${name ?? ""} ${addressee ?? ""}`.toLowerCase().split(/[^\p{L}\p{N}]+/u));
}

function toStatement(
  { start, speaker, heading }: Passage,
  sentence: Sentence,
  language: Language,
  said: number,
  names: ReadonlySet<string>,
  essential: ExtractedItem | null,
): Statement | null {
  const { length } = sentence.text;
  if (length < sentenceMinCharacters || length > sentenceMaxCharacters || isUnsettled(heading)) return null;
  if (!isEnglish(sentence, language)) return null;
  if (note.test(sentence.text)) return null;
  const clean = withoutTag(withoutMarkup(sentence.text));
  if (
    isQuestion(clean, "en") ||
    clean.endsWith(":") ||
    !isProse(clean) ||
    isCodeLine(clean) ||
    assignments.test(clean)
  )
    return null;
  const short = withImpliedSubject(shorten(clean, speaker.addressee), speaker);
  // What an assistant is asked to do is over when it is done.
  if (essential === null && speaker.addressee === "the assistant" && isOrder(short)) return null;
  if (essential === null && !saysSomething(short, speaker, names)) return null;
  const dated = withAbsoluteDates(short, said);
  const from = start + sentence.start;
  return {
    text: dated.text,
    from,
    to: from + length,
    importance: essential?.importance ?? statementImportance,
    isDated: dated.isDated,
    isRelative: dated.isRelative,
    needsContext: continues.test(short) || hasUnresolvedReference(short),
    content: contentWords(short, names),
  };
}

/** A line of a log: "level=info status=200". */
const assignments = /\S=\S+ +\S+=\S/;
/** A note between what is said: "[laughs]", "[sends a photo]". */
const note = /^\[[^\]]*\]?[.!]?$/;
/** Words that refer to the sentence before. */
const continues =
  /^(?:it|they|them|that|this|these|those|he|she|his|her|their|there|then|so|and|but|also|after that|afterwards|since then|because|which)(?![\p{L}-])/iu;

/** Whether the statement is understood with the ones before, or is about the same. */
function belongsTo(group: readonly Statement[], { text, needsContext, content }: Statement): boolean {
  if (group.length === 0) return true;
  const length = group.reduce((sum, each) => sum + each.text.length + 1, text.length);
  if (length > itemMaxCharacters) return false;
  return needsContext || group.some((before) => before.content.some((word) => content.includes(word)));
}

function* joined(
  text: string,
  group: readonly Statement[],
  { speaker, saidAt }: Passage,
  now: number,
): Generator<ExtractedItem> {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return;
  const words = group.map((statement) => ended(statement.text));
  const content = withSpeaker(inEnglish(words, speaker), speaker.name);
  const isOpen = group.some(({ isRelative }) => isRelative);
  // Without a date, it is about the day on which it was said, as far as anybody knows.
  const isUndated = saidAt !== null && !group.some(({ isDated }) => isDated);
  yield {
    content: isOpen || isUndated ? `${content} (${dayInWords(saidAt ?? now)})` : content,
    type: "fact",
    importance: Math.max(...group.map((statement) => statement.importance)),
    expiresAt: null,
    evidence: text.slice(first.from, last.to),
  };
}

function ended(text: string): string {
  return /[.!?…"”)]$/u.test(text) ? text : `${text}.`;
}

function withSpeaker(content: string, name: string | null): string {
  return name === null || content.toLowerCase().includes(name.toLowerCase())
    ? content
    : `${name}: ${content}`;
}
