// Owns which words of a query only ask. Must not be used on memories: there the same words tell.

/**
 * English words that ask. They stand in the question and not in the answer, but in notes, which are statements, they are so
 * rare that rarity alone would take them for telling: measured, leaving them out finds more. "may" and "us" are not among
 * them, being a month and a country too.
 */
const asking = new Set([
  ..."what which who whom whose when where why how do does did am is are was were".split(" "),
  ..."has have had can could will would shall should".split(" "),
]);

/** The words of a query, in lower case, without those that only ask; all of them when there are no others. */
export function withoutStopWords(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !asking.has(word));
  return telling.length === 0 ? words : telling;
}
