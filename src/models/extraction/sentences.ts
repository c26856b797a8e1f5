// Owns splitting running text of any language into sentences. Must never change a character: it returns verbatim parts of the text.

export interface Sentence {
  /** Verbatim, without surrounding white space; never empty. May contain line breaks of wrapped lines. */
  readonly text: string;
  /** UTF-16 offset of the first character in the text that was split. */
  readonly start: number;
}

/** The rules of Unicode (UAX 29); they are the same for every supported language. */
const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** A full stop after one of these does not end a sentence. Lower case, without the last full stop. */
const abbreviations = new Set(
  `mr mrs ms dr prof sr jr st vs e.g i.e eg ie cf approx incl excl dept
   bzw ca z.b z b u.a d.h o.ä usw ggf evtl inkl zzgl str vgl hr fr mme mlle p.ex env sra dra dott ing avv`.split(
    /\s+/,
  ),
);
/** The same, but only before a number: "No. 4", but "I said no." */
const beforeNumbers = new Set("no nr art abs fig vol ext tel max min pág núm m".split(" "));

/** "Am 3. Oktober": an ordinal number in German. */
const ordinal = /(?:^|\s)\d{1,2}\.\s*$/;
const afterOrdinal =
  /^(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal|Stock|Etage)\b/;
const lastWord = /([\p{L}\p{M}.]+)\.\s*$/u;
const numberOnly = /^\s*\d{1,3}\.\s*$/;
const initial = /(?:^|[\s.])\p{Lu}\.\s*$/u;

/** A line of this length may have been wrapped by an editor or a mail program; a shorter line ends a sentence. */
const wrappedLineMin = 40;
const wrappedLineMax = 100;
const startsItem = /^\s*(?:[-*+•–>#|]|\d{1,3}[.)]\s|\[[^\]\n]{0,40}\]|[\p{L}\p{N}_ .'-]{1,40}:(?:\s|$))/u;
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/**
 * Splits text into sentences in linear time. A line break ends a sentence, unless the line was clearly wrapped. A sentence may be as long
 * as the text (50,000 characters without a full stop): callers must limit its length.
 */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of joinWrapped(text)) {
    if (line.from === line.to) continue;
    for (const [from, to] of bordersWithin(text.slice(line.from, line.to))) {
      const sentence = trimmed(text, line.from + from, line.from + to);
      if (sentence !== null) sentences.push(sentence);
    }
  }
  return sentences;
}

interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The lines of the text; wrapped lines are joined. */
function* joinWrapped(text: string): Generator<LineRange> {
  let from = 0;
  let previous = 0;
  for (const { index, 0: lineBreak } of text.matchAll(lineEnd)) {
    const next = index + lineBreak.length;
    if (!isWrapped(text, previous, index, next)) {
      yield { from, to: index };
      from = next;
    }
    previous = next;
  }
  yield { from, to: text.length };
}

function isWrapped(text: string, lineStart: number, lineEndsAt: number, nextStart: number): boolean {
  const length = lineEndsAt - lineStart;
  if (length < wrappedLineMin || length > wrappedLineMax) return false;
  const last =
    text
      .slice(Math.max(lineStart, lineEndsAt - 3), lineEndsAt)
      .trimEnd()
      .at(-1) ?? "";
  const next = text.slice(nextStart, nextStart + wrappedLineMax);
  const hasNext = /^[ \t]*\S/.test(next);
  if (!hasNext || /[.!?:;。！？]/.test(last) || startsItem.test(next)) return false;
  if (/^\s*\p{Ll}/u.test(next)) return true;
  // Before a capital letter: only if the next word would not have fitted into a line of the usual width.
  const word = next.trimStart().search(/\s|$/);
  return length >= 60 && length + 1 + word > 72;
}

/** Offsets of the sentences of one line. */
function* bordersWithin(line: string): Generator<readonly [number, number]> {
  let from = 0;
  // Line breaks are replaced by blanks of the same length, so that offsets stay valid.
  const flat = line.replace(lineEnd, (lineBreak) => " ".repeat(lineBreak.length));
  for (const { index, segment } of segmenter.segment(flat)) {
    for (const end of [...lowerCaseBorders(segment), segment.length]) {
      const to = index + end;
      if (to < flat.length && continues(flat, from, to)) continue;
      yield [from, to];
      from = to;
    }
  }
  if (from < flat.length) yield [from, flat.length];
}

/** "i like tea. we use bun": the rules of Unicode require a capital letter, which chats often omit. */
function* lowerCaseBorders(segment: string): Generator<number> {
  for (const { index, 0: match } of segment.matchAll(/(?<=\p{L}{3})\. +(?=\p{Ll})/gu)) {
    if (!endsInAbbreviation(segment.slice(Math.max(0, index - 20), index + 1))) yield index + match.length;
  }
}

/** Whether the full stop before `to` does not end a sentence. Reads a limited number of characters. */
function continues(line: string, from: number, to: number): boolean {
  const end = line.slice(Math.max(from, to - 24), to);
  const next = line.slice(to, to + 16);
  if (endsInAbbreviation(end) || initial.test(end)) return true;
  if (/^\s*\d/.test(next) && beforeNumbers.has(lastWord.exec(end)?.[1]?.toLowerCase() ?? "")) return true;
  if (ordinal.test(end) && afterOrdinal.test(next)) return true;
  return numberOnly.test(line.slice(from, Math.min(to, from + 8))) && to - from <= 8;
}

function endsInAbbreviation(text: string): boolean {
  const word = lastWord.exec(text)?.[1];
  return word !== undefined && abbreviations.has(word.toLowerCase());
}

function trimmed(text: string, from: number, to: number): Sentence | null {
  const raw = text.slice(from, to);
  const sentence = raw.trim();
  if (sentence === "") return null;
  return { text: sentence, start: from + (raw.length - raw.trimStart().length) };
}
