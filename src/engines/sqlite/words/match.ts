// Owns the FTS5 query of a filter by words. Reads nothing.

import type { WordFilter } from "../../../memory/search/word-filter.ts";

/** English suffixes that the tokenizer porter removes, without those that it removes only together with another one of them. */
const suffixes =
  "ed er ers ing ings or ly ness ment ion ions ation ational ization ize ive al ity able ably ance ence ant ent ism ate ous ful fulness".split(
    " ",
  );

/**
 * The memories that have all of the words, and one that begins with the last word. The index contains words without their suffixes, so a
 * word that is typed up to the middle of its suffix is the beginning of no entry: "deploym" is not one of "deploy". Therefore each
 * word that it could become is looked for as well; the tokenizer removes the whole suffix of those.
 */
export function toMatch({ words, beginning }: WordFilter): string {
  const last = isPrefix(beginning)
    ? [`"${beginning}" *`, ...completions(beginning).map((word) => `"${word}"`)]
    : [];
  const any = [`"${beginning}"`, ...last].join(" OR ");
  // Inside quotation marks nothing is query syntax, and no word contains one.
  return [...words.map((word) => `"${word}"`), `(${any})`].join(" AND ");
}

/** One Latin letter or digit begins so many words that the index would be read for longer than such a list can help. */
function isPrefix(beginning: string): boolean {
  return beginning.length > 1 || !/^[a-z0-9]$/.test(beginning);
}

/** The words that this beginning becomes when the suffix is completed that its end may be the beginning of. */
function completions(beginning: string): string[] {
  if (!/^[a-z]{3,}$/.test(beginning)) return [];
  // The tokenizer changes a "y" at the end, but not in front of a suffix: "deployment" is "deploy", and "deploy" is "deploi".
  const shortest = beginning.endsWith("y") ? 0 : 1;
  const words = suffixes.flatMap((suffix) => {
    const begun = [...suffix].map((_, at) => suffix.slice(0, at)).slice(shortest);
    return begun
      .filter((part) => beginning.endsWith(part) && beginning.length > part.length + 1)
      .map((part) => beginning + suffix.slice(part.length));
  });
  return [...new Set(words)];
}
