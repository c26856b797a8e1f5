// Owns where a sentence begins and ends in running text of any language. Must never change a character: what it returns are
// stretches of the text that it was given.

export interface Sentence {
  /** Verbatim, without the white space around it; never empty. Holds line breaks where lines were wrapped. */
  readonly text: string;
  /** UTF-16 offset of the first character in the text that was split. */
  readonly start: number;
}

/** The rules of Unicode (UAX 29); they are the same for every language that this program names. */
const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** A full stop after these ends no sentence, whatever follows. Lower case, without the last full stop. */
const abbreviations = new Set(
  `mr mrs ms dr prof sr jr st vs e.g i.e eg ie cf approx incl excl dept
   bzw ca z.b z b u.a d.h o.ä usw ggf evtl inkl zzgl str vgl hr fr mme mlle p.ex env sra dra dott ing avv`.split(
    /\s+/,
  ),
);
/** These only before a number: "No. 4", but "I said no." */
const beforeNumbers = new Set("no nr art abs fig vol ext tel max min pág núm m".split(" "));

/** "Am 3. Oktober": an ordinal number in German. */
const ordinal = /(?:^|\s)\d{1,2}\.\s*$/;
const afterOrdinal =
  /^(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal|Stock|Etage)\b/;
const lastWord = /([\p{L}\p{M}.]+)\.\s*$/u;
const numberOnly = /^\s*\d{1,3}\.\s*$/;
const initial = /(?:^|[\s.])\p{Lu}\.\s*$/u;

/** A line this long may have been wrapped by an editor or a mail program; a shorter one ended because it was finished. */
const wrappedLineMin = 40;
const wrappedLineMax = 100;
const startsItem = /^\s*(?:[-*+•–>#|]|\d{1,3}[.)]\s|\[[^\]\n]{0,40}\]|[\p{L}\p{N}_ .'-]{1,40}:(?:\s|$))/u;
const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;

/**
 * Splits text into sentences in time linear in its length. A line break ends a sentence too, unless the line was plainly wrapped.
 * A sentence may be as long as the text (50,000 characters without a full stop): whoever calls sets a limit.
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

/** Lines of the text; those that an editor wrapped count as one. */
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
  // Before a capital: only where the next word would not have fitted into lines of the usual widths.
  const word = next.trimStart().search(/\s|$/);
  return length >= 60 && length + 1 + word > 72;
}

/** Offsets of the sentences of one line. */
function* bordersWithin(line: string): Generator<readonly [number, number]> {
  let from = 0;
  // Wrapped lines are one line to the rules of Unicode; the blanks keep every offset.
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

/** "i like tea. we use bun": chats do without capitals, which Unicode's rules wait for. */
function* lowerCaseBorders(segment: string): Generator<number> {
  for (const { index, 0: match } of segment.matchAll(/(?<=\p{L}{3})\. +(?=\p{Ll})/gu)) {
    if (!endsInAbbreviation(segment.slice(Math.max(0, index - 20), index + 1))) yield index + match.length;
  }
}

/** Whether the full stop before `to` ends no sentence. Looks at a bounded stretch only. */
function continues(line: string, from: number, to: number): boolean {
  const tail = line.slice(Math.max(from, to - 24), to);
  const next = line.slice(to, to + 16);
  if (endsInAbbreviation(tail) || initial.test(tail)) return true;
  if (/^\s*\d/.test(next) && beforeNumbers.has(lastWord.exec(tail)?.[1]?.toLowerCase() ?? "")) return true;
  if (ordinal.test(tail) && afterOrdinal.test(next)) return true;
  return numberOnly.test(line.slice(from, Math.min(to, from + 8))) && to - from <= 8;
}

function endsInAbbreviation(tail: string): boolean {
  const word = lastWord.exec(tail)?.[1];
  return word !== undefined && abbreviations.has(word.toLowerCase());
}

function trimmed(text: string, from: number, to: number): Sentence | null {
  const raw = text.slice(from, to);
  const sentence = raw.trim();
  if (sentence === "") return null;
  return { text: sentence, start: from + (raw.length - raw.trimStart().length) };
}
