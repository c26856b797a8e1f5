// Owns the similarity of two contents that deduplication compares with the thresholds of the API contract: the cosine of their embeddings,
// each joined with the trigrams of the words. Pure. Search must not use it.

/**
 * Share of the trigrams in the joined vector. An embedding says what a text is about, so that "port 5433" and "port 5434" have a cosine of
 * 0.987. Of 82 pairs of statements that differ in one thing, 30 are above 0.98 and 67 above 0.90 by their embeddings; joined, 0 and 3.
 * One changed word of at most 30 words changes 3 of 32 trigrams, so the similarity is at most 1 - 0.3 * 3 / 32 = 0.972.
 */
const trigramShare = 0.3;

/** The trigrams of a content, with how often each one occurs. */
export interface Trigrams {
  readonly counts: ReadonlyMap<string, number>;
  readonly squaredLength: number;
}

/**
 * A word is a run of letters and digits, a letter of a script without spaces, or a symbol. Case, brackets, quotation marks and the marks
 * that end a sentence or a part of one are ignored.
 */
const word =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]]+|[[\p{S}\p{P}]--[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}]]/gv;

/** The beginning and the end count as words, so that each word is in three trigrams. */
export function trigramsOf(content: string): Trigrams {
  const words = ["", "", ...(content.normalize("NFKC").toLowerCase().match(word) ?? []), "", ""];
  const counts = new Map<string, number>();
  for (let at = 2; at < words.length; at++) {
    const trigram = `${words[at - 2]} ${words[at - 1]} ${words[at]}`;
    counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  return { counts, squaredLength: sumOf(counts.values(), (count) => count * count) };
}

/** The cosine of the joined vectors, 0..1. @param cosine of the embeddings, 0..1 */
export function contentSimilarity(cosine: number, a: Trigrams, b: Trigrams): number {
  const dot = sumOf(a.counts, ([trigram, count]) => count * (b.counts.get(trigram) ?? 0));
  const shared = dot / Math.sqrt(a.squaredLength * b.squaredLength);
  return Math.min(1, cosine * (1 - trigramShare) + shared * trigramShare);
}

/** At most the similarity of contents whose embeddings have this cosine. */
export function mostSimilarity(cosine: number): number {
  return cosine * (1 - trigramShare) + trigramShare;
}

/** Contents whose embeddings do not have a greater cosine than this are not more similar than `similarity`. */
export function leastCosine(similarity: number): number {
  return (similarity - trigramShare) / (1 - trigramShare);
}

function sumOf<Item>(items: Iterable<Item>, value: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += value(item);
  return sum;
}
