// Owns the similarity of two contents that deduplication compares with the thresholds of the API contract: the cosine of their embeddings,
// each joined with the trigrams of the words. Pure. Search must not use it.

/**
 * Share of the trigrams in the joined vector. An embedding says what a text is about: "The staging database listens on port 5433." and the
 * same with 5434 have a cosine of 0.986. Of 82 pairs of statements that differ in one thing, 30 are above 0.98 and 67 above 0.90 by the
 * embeddings of a general model; joined, 0 and 3.
 */
const trigramShare = 0.3;

/**
 * The most that contents with different words share. It limits their similarity to 0.979, so that an item of which one word, number or
 * negation is new is never skipped, however long it is. Of 30 words, one changed word changes 3 of 32 trigrams, which is less: 0.972.
 */
const mostShared = 0.93;

/** Of a content. */
export interface Trigrams {
  readonly words: string;
  /** How often each trigram occurs. */
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/**
 * A word is a run of letters and digits, a letter of a script that has no spaces, or a symbol. Brackets, quotation marks and the marks that
 * end a sentence or a part of one are none, except before a letter, a digit or a symbol, where they end nothing: 1.5, 10:30, a != b.
 */
const word =
  /[[\p{sc=Han}\p{sc=Hira}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]--\p{P}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]]+|[[\p{S}\p{P}]--[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}¿¡…]]|[.,:;!?](?=[\p{L}\p{N}\p{S}])/gv;

/** The beginning and the end count as words, so that each word is in three trigrams. A text without words is one word. */
export function trigramsOf(content: string): Trigrams {
  const text = content.normalize("NFC").toLowerCase();
  const words = text.match(word) ?? [text.trim()];
  const counts = new Map<string, number>();
  let [first, second] = ["", ""];
  for (const third of [...words, "", ""]) {
    const trigram = `${first} ${second} ${third}`;
    counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
    [first, second] = [second, third];
  }
  return { words: words.join(" "), counts, total: words.length + 2 };
}

/** Letters of scripts that have no spaces between words. */
export const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/gu;
const edges =
  /^[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}¿¡…]+|[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}¿¡…]+$/gu;

/**
 * The words of a content, with a blank before and after each, so that one text is found in another. What NFKC makes equal, upper case and
 * punctuation around words do not differ; "C" and "C++" do.
 */
export function wordsInRow(content: string): string {
  const text = content.normalize("NFKC").toLowerCase().replace(withoutSpaces, " $& ");
  const words = text.split(/\s+/u).map((word) => word.replace(edges, ""));
  return ` ${words.filter((word) => word !== "").join(" ")} `;
}

/** 0..1; 1 for contents with the same words and embeddings. @param cosine of the embeddings, 0..1 */
export function contentSimilarity(cosine: number, a: Trigrams, b: Trigrams): number {
  return Math.min(1, cosine * (1 - trigramShare) + sharedBy(a, b) * trigramShare);
}

/** Contents whose embeddings do not have a greater cosine than this are not more similar than `similarity`. */
export function leastCosine(similarity: number): number {
  return (similarity - trigramShare) / (1 - trigramShare);
}

/** The cosine of two vectors in which each occurrence of a trigram has a dimension of its own, so that a repeated word counts like others. */
function sharedBy(a: Trigrams, b: Trigrams): number {
  if (a.words === b.words) return 1;
  const [few, many] = a.counts.size < b.counts.size ? [a, b] : [b, a];
  let common = 0;
  for (const [trigram, count] of few.counts) common += Math.min(count, many.counts.get(trigram) ?? 0);
  return Math.min(mostShared, common / Math.sqrt(a.total * b.total));
}
