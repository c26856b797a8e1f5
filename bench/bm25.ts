// Ranks texts by words alone: the baseline that search by meaning is compared to.

/** Okapi BM25 over lower-cased words, with the usual k1 and b (Robertson and Zaragoza 2009). */
const k1 = 1.2;
const b = 0.75;

/** Returns a function that gives the texts' numbers by falling score; ties keep their order. */
export function createBm25(texts: readonly string[]): (query: string) => number[] {
  const documents = texts.map((text) => countWords(text));
  const lengths = documents.map((words) => [...words.values()].reduce((sum, count) => sum + count, 0));
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / texts.length;
  const frequencies = new Map<string, number>();
  for (const words of documents)
    for (const word of words.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const weigh = (word: string, at: number): number => {
    const count = documents[at]?.get(word) ?? 0;
    const inDocuments = frequencies.get(word) ?? 0;
    const rarity = Math.log(1 + (texts.length - inDocuments + 0.5) / (inDocuments + 0.5));
    const norm = k1 * (1 - b + (b * (lengths[at] ?? 0)) / averageLength);
    return (rarity * count * (k1 + 1)) / (count + norm);
  };
  return (query) => {
    const words = [...countWords(query).keys()];
    const scores = texts.map((_, at) => words.reduce((sum, word) => sum + weigh(word, at), 0));
    return [...scores.keys()].sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0));
  };
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
