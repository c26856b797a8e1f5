// Owns the stop words of queries. Must not be used for memories, in which these words are meaningful.

/**
 * English question words and auxiliary verbs. They are in a question but not in its answer. Memories are statements, in which these words
 * are rare, so a weight by rarity would make them important. Measurements show that removing them finds more. "may" and "us" are not
 * included, because they are also a month and a country.
 */
const stopWords = new Set([
  ..."what which who whom whose when where why how do does did am is are was were".split(" "),
  ..."has have had can could will would shall should".split(" "),
]);

/** The words of a query, in lower case, without stop words; all words if there are only stop words. */
export function withoutStopWords(words: readonly string[]): readonly string[] {
  const others = words.filter((word) => !stopWords.has(word));
  return others.length === 0 ? words : others;
}
