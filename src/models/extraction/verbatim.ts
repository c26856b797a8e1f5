// Owns the detail "verbatim": what was said becomes passages, word for word. Must never leave out a letter or a digit.

import type { ExtractedItem, ExtractionSource, UtteranceRange } from "../../memory/extraction/extractor.ts";
import { leadOf } from "../../memory/origin.ts";
import { endOfText } from "../../platform/text/characters.ts";
import { passageRanges, type TextRange } from "../../platform/text/passages.ts";
import { passageLeadCharacters, passageMaxCharacters } from "./limits.ts";
import { type Said, toOrigin } from "./origin.ts";
import { timeReader } from "./rules/message-time.ts";
import { findSpeakers, roleOf } from "./rules/speakers.ts";
import { splitSentences } from "./sentences.ts";

/** What somebody says without a break. */
interface Turn extends TextRange {
  readonly said: Said;
  /** In which it is; null: the source is a text. */
  readonly message: UtteranceRange | null;
}

/** Below what somebody keeps without saying how important it is. With less, answers are not among the first results beside such memories. */
const importance = 0.4;

/** The passages of the source in its order. `now`: milliseconds since 1970. */
export function extractVerbatim(source: ExtractionSource, now: number): ExtractedItem[] {
  const { text } = source;
  return turnsOf(source, now).flatMap(({ start, end, said, message }) => {
    return passagesOf(text.slice(start, end)).map((range): ExtractedItem => {
      const from = start + range.start;
      const to = start + range.end;
      const content = text.slice(from, to);
      const origin = toOrigin(said, message, { start: from, end: to }, source);
      const lead = leadOfPassage(text.slice(0, from), said.name);
      const kept = { content, type: "context", importance, expiresAt: null } as const;
      return { ...kept, passage: true, origin, lead, evidence: content };
    });
  });
}

/** An answer such as "Postgres." is found by the question before it. */
function leadOfPassage(before: string, name: string | null): string | null {
  const end = endOfText(before.trimEnd(), passageLeadCharacters);
  const lead = `${end}${end === "" ? "" : "\n"}${leadOf(name) ?? ""}`;
  return lead === "" ? null : lead;
}

function turnsOf({ text, utterances }: ExtractionSource, now: number): readonly Turn[] {
  if (utterances !== null)
    return utterances.map((message) => {
      const { speaker: role, name, saidAt, start, end } = message;
      return { start, end, said: { role, name, saidAt }, message };
    });
  const toTime = timeReader(now);
  const lines = text.split(/(?<=\n)/);
  const findLabel = findSpeakers(lines.map((line) => line.trim()));
  const turns: Turn[] = [{ start: 0, end: 0, said: { role: null, name: null, saidAt: null }, message: null }];
  let offset = 0;
  for (const line of lines) {
    const label = findLabel(line.trim());
    const last = turns.at(-1);
    if (label !== null) {
      const { speaker, date } = label;
      const saidAt = (date === null ? null : toTime(date)) ?? last?.said.saidAt ?? null;
      const start = offset + (line.length - line.trimStart().length) + label.length;
      const said = { role: roleOf(speaker), name: speaker.name, saidAt };
      turns.push({ start, end: offset + line.length, said, message: null });
    } else if (last !== undefined) turns[turns.length - 1] = { ...last, end: offset + line.length };
    offset += line.length;
  }
  return turns;
}

/** Paragraphs and code blocks, as many in each passage as fit. A longer one ends after a sentence, or else after a word. */
function passagesOf(text: string): TextRange[] {
  const passages: TextRange[] = [];
  let open: TextRange | null = null as TextRange | null;
  for (const part of blocksOf(text).flatMap((block) => partsOf(text, block))) {
    if (open !== null && part.end - open.start > passageMaxCharacters) {
      passages.push(open);
      open = null;
    }
    open = { start: open?.start ?? part.start, end: part.end };
  }
  if (open !== null) passages.push(open);
  return passages.filter(({ start, end }) => /[\p{L}\p{N}]/u.test(text.slice(start, end)));
}

const fence = /^\s*(```|~~~)/;

/** Without the white space around each. */
function blocksOf(text: string): TextRange[] {
  const blocks: TextRange[] = [];
  let open: TextRange | null = null as TextRange | null;
  let fenced: string | null = null;
  let offset = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const content = line.trim();
    const mark = fence.exec(content)?.[1] ?? null;
    const ends: boolean = fenced === null ? content === "" || mark !== null : mark === fenced;
    if (ends && fenced === null && open !== null) {
      blocks.push(open);
      open = null;
    }
    if (content !== "") {
      const start = offset + (line.length - line.trimStart().length);
      open = { start: open?.start ?? start, end: offset + line.trimEnd().length };
    }
    if (ends && fenced !== null && open !== null) {
      blocks.push(open);
      open = null;
    }
    if (mark !== null) fenced = fenced === null ? mark : mark === fenced ? null : fenced;
    offset += line.length;
  }
  return open === null ? blocks : [...blocks, open];
}

function partsOf(text: string, { start, end }: TextRange): TextRange[] {
  if (end - start <= passageMaxCharacters) return [{ start, end }];
  return splitSentences(text.slice(start, end)).flatMap((sentence) => {
    const from = start + sentence.start;
    return passageRanges(sentence.text, passageMaxCharacters).map((part) => ({
      start: from + part.start,
      end: from + part.end,
    }));
  });
}
