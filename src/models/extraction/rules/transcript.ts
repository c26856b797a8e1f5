// Owns the structure of a text: speakers, times, headings, and lines that are not prose. Must replace masked text with blanks of the same
// length, so that every offset stays valid.

import { findSender, isClosingFormula } from "./email-signature.ts";
import { isCodeLine } from "./prose.ts";
import { findSpeakers, type Label, type Speaker } from "./speakers.ts";

/** Running text of one speaker. */
export interface Passage {
  /** As long as the original text; list markers, quote markers and names are replaced by blanks. */
  readonly text: string;
  /** UTF-16 offset in the whole text. */
  readonly start: number;
  readonly speaker: Speaker;
  /** When it was said, milliseconds since 1970; null if the text does not say it. */
  readonly saidAt: number | null;
  /** The heading or introducing line above ("Decisions:") in lower case; "" without one. */
  readonly heading: string;
  readonly isItem: boolean;
}

interface State {
  speaker: Speaker;
  saidAt: number | null;
  heading: string;
  /** The fence that ends the current code block; null outside of code blocks. */
  fence: string | null;
  isSignature: boolean;
  depth: number;
}

const fence = /^\s*(```|~~~)/;
const quote = /^(?:[ \t]?>){1,9}[ \t]?/;
const listMark = /^[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;
const markdownHeading = /^#{1,6}\s+(.{1,120})$/;
const introduction = /^[^.!?:]{2,50}:$/;
const emailHeader =
  /^(from|to|cc|bcc|sent|subject|reply-to|date|message-id|von|an|betreff|gesendet|datum|de|para|asunto|objet|oggetto|assunto):\s*(.*)$/i;
const attribution =
  /^(?:on|am|le|el|em|il)\b.{0,80}?[,\d] ?(?:schrieb |wrote )?(\p{Lu}[\p{L} .'-]{1,40}?)?(?: ?<[^>]{0,80}>)? ?(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto)? ?:$/iu;
const commitHeader =
  /^(?:commit [0-9a-f]{7,40}\b|author:|date:|merge:|merge (?:branch|pull)|(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested)-by:|change-id:|refs?:? #|closes:? #|fixes:? #|see[- ]also:|cc:)/i;
const trailer = /^(?:diff --git|index [0-9a-f]{6}|@@ |\+\+\+ |--- )/;
const tableRow = /^\s*\|/;
const markup = /^\s*(?:<[a-z/!]|!\[|\[!\[|---+\s*$|===+\s*$|\*\*\*+\s*$)/i;

/**
 * Reads a chat transcript, e-mail, notes or plain text in one pass. `toTime` parses the date in "[date] Name:".
 * @param sender who wrote a message of a chat; null: the text is no such message
 */
export function readPassages(
  text: string,
  toTime: (date: string) => number | null,
  sender: Speaker | null = null,
): Passage[] {
  const lines = text.split(/(?<=\r\n|[\n\u2028\u2029]|\r(?!\n))/);
  const contents = lines.map((line) => line.replace(quote, "").trim());
  const findLabel = findSpeakers(contents, sender !== null);
  const isMail = contents.some(
    (line) => line.length < 200 && (emailHeader.test(line) || attribution.test(line)),
  );
  // The first line of a message says something.
  const title = sender === null ? titleOf(contents) : "";
  const signed = findSender(contents);
  const passages: Passage[] = [];
  const state: State = {
    speaker: sender === null || signed.name !== null ? signed : sender,
    saidAt: null,
    heading: "",
    fence: null,
    isSignature: false,
    depth: 0,
  };
  let parts: string[] = [];
  let start = 0;
  let isItem = false;
  const flush = () => {
    if (parts.length > 0) {
      const { speaker, saidAt, heading } = state;
      passages.push({ text: parts.join(""), start, speaker, saidAt, heading, isItem });
    }
    parts = [];
    isItem = false;
  };
  let offset = 0;
  for (const line of lines) {
    const masked = blank(line, quote.exec(line)?.[0].length ?? 0);
    const content = masked.trim();
    const depth = quoteDepth(line);
    if (depth !== state.depth) flush();
    state.depth = depth;
    // Quoted parts of an e-mail are older and addressed to somebody else.
    const label = state.fence === null ? findLabel(content) : null;
    if (content === "" || (depth > 0 && isMail)) flush();
    else if ((label === null && content === title) || isOmitted(content, label, state, toTime)) flush();
    else {
      const mark = listMark.exec(masked)?.[0].length ?? 0;
      if (label !== null) {
        flush();
        setSpeaker(label, state, toTime);
      } else if (mark > 0) flush();
      if (parts.length === 0) start = offset;
      if (mark > 0) isItem = true;
      const indent = masked.length - masked.trimStart().length;
      parts.push(blank(masked, label === null ? mark : indent + label.length));
    }
    offset += line.length;
  }
  flush();
  return passages;
}

/** The first line if it stands alone, like the subject of a commit or the title of notes; else "". */
function titleOf(contents: readonly string[]): string {
  const first = contents.findIndex((line) => line !== "" && !commitHeader.test(line));
  const [title = "", below] = contents.slice(first, first + 2);
  const isAlone = below === "" && contents.slice(first + 2).some((line) => line !== "");
  return isAlone && title.length <= 80 && !/[.!?:,]$/.test(title) ? title : "";
}

function isOmitted(
  content: string,
  label: Label | null,
  state: State,
  toTime: (date: string) => number | null,
): boolean {
  return label === null ? isStructure(content, state, toTime) : isNoProse(content.slice(label.length));
}

/** Whether the line is not prose but describes the lines below. Updates the state. */
function isStructure(content: string, state: State, toTime: (date: string) => number | null): boolean {
  const mark = fence.exec(content)?.[1];
  if (state.fence !== null) {
    if (mark === state.fence) state.fence = null;
    return true;
  }
  if (mark !== undefined) {
    state.fence = mark;
    return true;
  }
  if (/^--$|^---+$/.test(content)) state.isSignature = content === "--";
  if (isClosingFormula(content)) {
    state.isSignature = true;
    return true;
  }
  const heading =
    markdownHeading.exec(content)?.[1] ?? (introduction.test(content) ? content.slice(0, -1) : null);
  if (heading !== null) {
    const attributed = attribution.exec(content)?.[1];
    if (attributed === undefined)
      state.heading = heading
        .replaceAll(/[*_#`]/g, "")
        .trim()
        .toLowerCase();
    else state.speaker = { name: attributed.trim(), role: "person", addressee: null };
    state.isSignature = false;
    return true;
  }
  return readHeader(content, state, toTime) || state.isSignature || isNoProse(content);
}

function readHeader(content: string, state: State, toTime: (date: string) => number | null): boolean {
  const attributed = content.length < 200 && content.endsWith(":") ? attribution.exec(content) : null;
  if (attributed !== null) {
    const name = attributed[1]?.trim() ?? null;
    state.speaker = { name, role: name === null ? "unknown" : "person", addressee: null };
    state.isSignature = false;
    return true;
  }
  const [, field = "", value = ""] = emailHeader.exec(content) ?? [];
  if (/^(?:from|von|de)$/i.test(field) && /[<@]/.test(value)) {
    const name = /^"?(\p{Lu}[\p{L} .'-]{1,40}?)"? *(?:<|$)/u.exec(value)?.[1] ?? null;
    state.speaker = { name, role: name === null ? "unknown" : "person", addressee: null };
    state.isSignature = false;
  }
  if (/^(?:date|sent|datum|gesendet)$/i.test(field)) state.saidAt = toTime(value) ?? state.saidAt;
  return field !== "" || commitHeader.test(content);
}

function isNoProse(content: string): boolean {
  return trailer.test(content) || tableRow.test(content) || markup.test(content) || isCodeLine(content);
}

function setSpeaker(label: Label, state: State, toTime: (date: string) => number | null): void {
  state.speaker = label.speaker;
  if (label.date !== null) state.saidAt = toTime(label.date) ?? state.saidAt;
  state.heading = "";
  state.isSignature = false;
}

function quoteDepth(line: string): number {
  return quote.exec(line)?.[0].replaceAll(/[^>]/g, "").length ?? 0;
}

function blank(line: string, length: number): string {
  return length === 0 ? line : " ".repeat(length) + line.slice(length);
}
