// Owns finding a quotation in a text. Must never accept a quotation so short that any text could contain it.

import { withoutSpaces } from "../../memory/extraction/content-similarity.ts";
import type { TextRange } from "../../platform/text/passages.ts";
import { evidenceMinLetters, evidenceMinWords } from "./limits.ts";

/**
 * Finds quotations in `text`, ignoring differences in Unicode form (NFKC), case, white space, quotation marks, dashes and invisible
 * characters. A quotation begins and ends with whole words and numbers: "Ticket 88" is not in "Ticket 881". Returns the range of the
 * original text.
 */
export function createQuotationFinder(text: string): (quotation: string) => TextRange | null {
  const { folded, origins, ends } = fold(text);
  return (quotation) => {
    const needle = fold(quotation).folded.replace(/^[' ]+|[' ]+$/g, "");
    const isWhole = lettersOf(needle) !== "" && lettersOf(needle) === lettersOf(folded);
    if (!isWhole && !isLongEnough(needle)) return null;
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + 1)) {
      const end = at + needle.length;
      if (isInsideWord(folded, at) || isInsideWord(folded, end)) continue;
      const start = origins[at] ?? 0;
      return { start, end: ends[end - 1] ?? start };
    }
    return null;
  };
}

/** A text that is short itself, such as "Vegan.", can only be quoted as a whole. */
function lettersOf(folded: string): string {
  return folded.replace(/[^\p{L}\p{N}\p{M}]/gu, "");
}

/** Whether a word or a number goes on at this place of a folded text. Scripts without spaces have words that end anywhere. */
function isInsideWord(folded: string, at: number): boolean {
  const before = folded.slice(Math.max(0, at - 2), at);
  const after = folded.slice(at, at + 2);
  const isDense = (character: string) => character.search(withoutSpaces) >= 0;
  const [last = ""] = /.$/u.exec(before) ?? [];
  const [first = ""] = /^./u.exec(after) ?? [];
  if (/\p{M}/u.test(first)) return true;
  if (/\p{N}[.,:/]?$/u.test(before) && /^[.,:/]?\p{N}/u.test(after)) return true;
  const isWord = (character: string) => /[\p{L}\p{N}\p{M}]/u.test(character) && !isDense(character);
  return isWord(last) && isWord(first);
}

/** In scripts without spaces every character counts as a word and as two letters. */
function isLongEnough(folded: string): boolean {
  const dense = folded.match(withoutSpaces)?.length ?? 0;
  const letters = folded.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const words = folded.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return letters + dense >= evidenceMinLetters && Math.max(words, dense) >= evidenceMinWords;
}

interface Folded {
  readonly folded: string;
  /** For each UTF-16 unit of `folded`: start and end of its original character in the text. */
  readonly origins: readonly number[];
  readonly ends: readonly number[];
}

/** A character and its combining marks are folded together, because normalisation may change the order of the marks. */
const cluster = /[\p{White_Space}]+|\P{M}\p{M}*|\p{M}+/gu;

function fold(text: string): Folded {
  let folded = "";
  const origins: number[] = [];
  const ends: number[] = [];
  for (const { 0: characters, index } of text.matchAll(cluster)) {
    let same = asciiFolds[characters.charCodeAt(0)] ?? "";
    if (characters.length > 1 || same === "") same = foldCluster(characters);
    if (same === " " && folded.endsWith(" ")) same = "";
    folded += same;
    for (let unit = 0; unit < same.length; unit += 1) {
      origins.push(index);
      ends.push(index + characters.length);
    }
  }
  return { folded, origins, ends };
}

/** Precomputed, because most text is ASCII and the thread also serves other calls. */
const asciiFolds = Array.from({ length: 128 }, (_, code) => foldCluster(String.fromCharCode(code)));

/** Decomposed, because NFKD of a text is NFKD of its parts; two texts agree in it exactly when they agree in NFKC. */
function foldCluster(characters: string): string {
  return characters
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/["'`´‘’‚‛“”„‟‹›«»′″]/g, "'")
    .replace(/[\p{Pd}−]/gu, "-");
}
