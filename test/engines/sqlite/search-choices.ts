// Owns the random choices in the tests of exact order: the memories, their changes and the queries. Sends nothing and compares nothing.

import type { SearchQuery, SimilarityQuery } from "../../../src/calls/storage/memory-store.ts";
import { kinds, typeOf } from "../../../src/memory/kind.ts";
import { memoryOrigins, memoryTypes } from "../../../src/memory/memory.ts";
import { toMetadataFilter } from "../../../src/memory/search/metadata-filter.ts";
import { createAdversarialVectors, pick, type Random } from "../../memory/ranking/adversarial-vectors.ts";
import { someMetadata, someMetadataFilter } from "../../memory/ranking/naive-metadata.ts";
import { type NaiveMemory, rankNaively, similarityOf } from "../../memory/ranking/naive-ranking.ts";

export type SearchChoices = ReturnType<typeof createSearchChoices>;

const hour = 3_600_000;
const vocabulary = ["alpha", "bravo", "Zürich", "мир", "kilo", "v2", "4711", "papa", "quebec", "tango"];
/** With one error: of one word, of two, of one that is nearly another's, of a short one; with two errors; another number. */
const mistyped = ["alhpa", "brvo", "tangoo", "Zürch", "мирн", "papp", "kylo", "tagnoo", "v3", "4712"];
const tags = ["common", "team:red", "team:blue", "日本", '"quoted"'];
const sessions = 300;

/** @param directions more vectors around which others are, L2-normalised */
export function createSearchChoices(
  random: Random,
  dimensions: number,
  directions: readonly Float32Array[] = [],
) {
  let vectors = createAdversarialVectors(random, dimensions, directions);
  let written = 0;
  /** Hours between the clock of the machine and the time that queries name. */
  let hours = 0;
  const below = (end: number) => Math.floor(random() * end);
  const now = () => Date.now() + hours * hour;

  const text = () => {
    written += 1;
    const words = Array.from({ length: below(5) }, () => pick(random, vocabulary));
    // One word that some memories have, and one that no other has.
    return [...words, `ticket${written % 37}`, `n${written}`].join(" ");
  };

  const expiry = () =>
    random() < 0.7 ? null : new Date(Date.now() + (below(24) - 6) * hour + below(3)).toISOString();

  const someTags = (): string[] => {
    const at = random();
    if (at < 0.4) return [];
    if (at < 0.8) return [...new Set([pick(random, tags), pick(random, tags)])];
    return [pick(random, tags), `session:${below(sessions)}`];
  };

  /** Equal ones, any, and those with which importance balances the similarity to a pivot, so that scores differ by rounding only. */
  const importanceOf = (vector: Float32Array): number => {
    const at = random();
    if (at < 0.35) return 0.5;
    if (at < 0.5) return pick(random, [0, 1, 0.1, 0.30000000000000004]);
    if (at < 0.6) return 0.5 + pick(random, [1e-9, 2 ** -52, -(2 ** -53), 1e-6]);
    if (at < 0.7) return random();
    const similarity = similarityOf(pick(random, vectors.pivots), vector);
    return Math.min(1, Math.max(0, (0.45 - 0.7 * similarity) / 0.3));
  };

  const wantedVector = (memories: readonly NaiveMemory[]): Float32Array => {
    const at = random();
    if (at < 0.4) return pick(random, vectors.pivots);
    return at < 0.7 && memories.length > 0 ? pick(random, memories).vector : vectors.next();
  };

  const wantedWords = (): string => {
    const word = () =>
      pick(random, [
        pick(random, vocabulary),
        pick(random, mistyped),
        `ticket${below(40)}`,
        `n${1 + below(written)}`,
      ]);
    // Sometimes more words than are counted.
    return Array.from({ length: random() < 0.1 ? 90 : 1 + below(4) }, word).join(", ");
  };

  const wantedTags = () =>
    pick(random, [
      [pick(random, tags)],
      [pick(random, tags), `session:${below(sessions)}`],
      ["common", "team:red"],
      ["nobody has it"],
    ]);

  return {
    /** What a call creates, in the form of the API, its vector, and whether it is a passage. */
    memory() {
      const vector = vectors.next();
      const kind = pick(random, kinds);
      const fields = {
        content: text(),
        memory_type: typeOf(kind),
        importance: importanceOf(vector),
        expires_at: expiry(),
        tags: someTags(),
        metadata: someMetadata(random),
        is_active: random() < 0.9,
      };
      return { vector, fields, passage: kind === "passage" };
    },
    /** Fields of an update that keeps the content. */
    change: () =>
      pick(random, [
        { importance: pick(random, [0, 0.5, 1, random()]) },
        { is_active: random() < 0.5 },
        { memory_type: pick(random, memoryTypes) },
        { tags: someTags() },
        { metadata: someMetadata(random) },
        { expires_at: expiry() },
        { importance: 0.25, tags: someTags(), expires_at: null },
      ]),
    text,
    vector: () => vectors.next(),
    tag: () => pick(random, tags),
    metadataFilter: () => someMetadataFilter(random),
    passHours(count: number) {
      hours += count;
    },
    /** From now on vectors are those of another model. */
    changeModel(to: number) {
      vectors = createAdversarialVectors(random, to);
    },
    query(memories: readonly NaiveMemory[]): SearchQuery {
      const query: SearchQuery = {
        vector: wantedVector(memories),
        words: random() < 0.5 ? null : wantedWords(),
        types: random() < 0.6 ? null : memoryTypes.filter(() => random() < 0.6),
        origin: random() < 0.7 ? null : pick(random, memoryOrigins),
        tags: random() < 0.7 ? null : { tags: wantedTags(), match: pick(random, ["all", "any"]) },
        metadata: random() < 0.7 ? null : toMetadataFilter(someMetadataFilter(random)),
        topK: pick(random, [1, 2, 10, 49, 50, 1 + below(50)]),
        minSimilarity: random() < 0.6 ? 0 : random(),
        includeExpired: random() < 0.3,
        includeInactive: random() < 0.3,
        now: now(),
      };
      if (random() < 0.7) return query;
      // Exactly the similarity of a memory, or the next number above it.
      const everything = rankNaively(memories, { ...query, minSimilarity: 0, topK: memories.length });
      if (everything.length === 0) return query;
      const { similarity, relevance } = pick(random, everything);
      if (random() < 0.4)
        return { ...query, minRelevance: random() < 0.7 ? relevance : relevance + 2 ** -53 };
      return {
        ...query,
        minSimilarity: random() < 0.7 ? similarity : Math.min(1, similarity * (1 + 2 ** -52)),
      };
    },
    similarityQuery(memories: readonly NaiveMemory[]): SimilarityQuery {
      const any = vectors.next();
      const exact = memories.length === 0 ? 0.5 : similarityOf(any, pick(random, memories).vector);
      return {
        vectors: [any, ...Array.from({ length: below(4) }, () => wantedVector(memories))],
        earlier: new Float32Array(0),
        above: pick(random, [0.9, 0.3, 0, exact]),
        tags: random() < 0.5 ? [] : [pick(random, tags)],
        now: now(),
      };
    },
  };
}
