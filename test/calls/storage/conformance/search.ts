// Compares search, by meaning and by words too, with a plain computation over everything: exactly the same memories in the same order
// with the same numbers, whatever was created, changed and deleted before.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type MemoryType, memoryTypes } from "../../../../src/memory/memory.ts";
import { finalScore } from "../../../../src/memory/ranking/scores.ts";
import type { TagFilter } from "../../../../src/memory/tags.ts";
import { dimensions, type Member, normalise, unitVector } from "../seam.ts";
import { type EngineUnderTest, withNewSeam } from "./engine-under-test.ts";

const day = 86_400_000;

interface Model {
  readonly id: string;
  content: string;
  type: MemoryType;
  importance: number;
  active: boolean;
  expiresAt: number | null;
  vector: Float32Array;
  tags: readonly string[];
}

interface Query {
  readonly vector: Float32Array;
  readonly words: string | null;
  readonly types: readonly MemoryType[] | null;
  readonly tags: TagFilter | null;
  readonly topK: number;
  readonly minSimilarity: number;
  readonly includeExpired: boolean;
  readonly includeInactive: boolean;
  readonly now: number;
}

/** The words of the texts below; none of them shares its stem with another. */
function wordsOf(text: string): string[] {
  const letters = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return [...new Set(letters.split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== "");
}

/** Each word's share in the query: the square of its rarity among the memories that may be found. */
function sharesNaively(memories: readonly Model[], words: string | null): Map<string, number> {
  const weights = wordsOf(words ?? "").map((word) => {
    const containing = memories.filter(({ content }) => wordsOf(content).includes(word)).length;
    return [word, Math.log(1 + (memories.length - containing + 0.5) / (containing + 0.5)) ** 2] as const;
  });
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return new Map(weights.map(([word, weight]) => [word, weight / total]));
}

function hasTags({ tags }: Model, filter: TagFilter | null): boolean {
  const missing = (filter?.tags ?? []).filter((tag) => !tags.includes(tag)).length;
  return filter === null || (filter.match === "all" ? missing === 0 : missing < filter.tags.length);
}

/** The rule of the contract, written down once more and as plainly as possible. Ids grow with creation. */
function searchNaively(memories: readonly Model[], query: Query) {
  const searched = memories
    .filter((memory) => query.types === null || query.types.includes(memory.type))
    .filter((memory) => hasTags(memory, query.tags))
    .filter((memory) => query.includeInactive || memory.active)
    .filter(({ expiresAt }) => query.includeExpired || expiresAt === null || expiresAt > query.now);
  const shares = [...sharesNaively(searched, query.words)];
  return searched
    .map(({ id, content, importance, vector }) => {
      const dot = (a: Float32Array, b: Float32Array) =>
        a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
      const cosine =
        dot(vector, query.vector) / Math.sqrt(dot(vector, vector) * dot(query.vector, query.vector));
      const similarity = Math.min(1, Math.max(0, Math.round(cosine * 1e9) / 1e9));
      const held = wordsOf(content);
      const shared = shares.reduce((sum, [word, share]) => sum + (held.includes(word) ? share : 0), 0);
      const keyword = Math.min(1, shared);
      const relevance = query.words === null ? similarity : similarity + (1 - similarity) * 0.7 * keyword;
      const score = relevance * 0.7 + importance * 0.3;
      return { id, importance: importance + 0, similarity, keyword, relevance, score };
    })
    .filter(({ similarity }) => similarity >= query.minSimilarity)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    .slice(0, query.topK);
}

/** Described by numbers, so that a counterexample can be read. */
interface VectorSpec {
  readonly seed: number;
  readonly nudge: number;
  readonly sign: 1 | -1;
}

/** Few seeds, so that ties are common; neighbours closer than float32 sums can tell apart, so that approximations are tempted. */
const vectorOf: fc.Arbitrary<VectorSpec> = fc.record({
  seed: fc.oneof(fc.nat(3), fc.nat(12), fc.nat()),
  nudge: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: -4, max: 4 })),
  sign: fc.constantFrom(1 as const, 1 as const, 1 as const, -1 as const),
});

function toVector({ seed, nudge, sign }: VectorSpec): Float32Array {
  const vector = unitVector(seed).map((value) => value * sign);
  if (nudge === 0) return vector;
  vector[seed % dimensions] = (vector[seed % dimensions] ?? 0) + nudge * 2e-7;
  return normalise(vector);
}

const typeOf = fc.constantFrom(...memoryTypes);
const importanceOf = fc.oneof(
  fc.constantFrom(0, -0, 0.5, 1, 0.1, 0.30000000000000004),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const expiryOf = fc.constantFrom(null, null, -day, -1, 1, day);

/** Words that many memories have and words that few have, numbers, identifiers, other alphabets, accents written in two ways. */
const wordOf = fc.oneof(
  fc.constantFrom("release", "tuesday", "server", "the", "Zürich", "zu\u0308rich", "мир"),
  fc.constantFrom("ERR_4711", "foo.bar", "v2", "Ångström", "naïve", "4711", "ΣΊΣΥΦΟΣ", "हिन्दी"),
  fc.nat(30).map((number) => `ticket${number}`),
);
const textOf = fc.array(wordOf, { maxLength: 6 }).map((words) => words.join(" "));

/** A tag that many memories have, some that few have, and pairs that sort differently as UTF-8 and as UTF-16. */
const tagOf = fc.oneof(
  fc.constantFrom("common", "common", "Common", "a b", '"quoted"', "100%"),
  fc.constantFrom("\u{1f600}", "\u{ff21}", "日本", "it's"),
  fc.nat(20).map((number) => `session:${number}`),
);
const tagsOf = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.uniqueArray(tagOf, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.uniqueArray(tagOf, { minLength: 16, maxLength: 16 }) },
);
const filterOf: fc.Arbitrary<TagFilter> = fc.record({
  tags: fc.uniqueArray(tagOf, { minLength: 1, maxLength: 3 }),
  match: fc.constantFrom("all" as const, "any" as const),
});

const made = fc.record({
  text: textOf,
  tags: tagsOf,
  vector: vectorOf,
  type: typeOf,
  importance: importanceOf,
  expiresIn: expiryOf,
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      memories: fc.array(made, { maxLength: 40, size: "max" }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      at: fc.nat(),
      changes: fc.record(
        {
          memory_type: typeOf,
          importance: importanceOf,
          is_active: fc.boolean(),
          tags: tagsOf,
          expiresIn: expiryOf,
          rewritten: fc.record({ vector: vectorOf, text: textOf }),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("removeAll" as const),
      type: fc.option(typeOf, { freq: 4 }),
      tags: fc.option(fc.uniqueArray(tagOf, { minLength: 1, maxLength: 2 }), { freq: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      vector: vectorOf,
      words: fc.option(textOf, { freq: 2 }),
      types: fc.option(fc.uniqueArray(typeOf), { freq: 2 }),
      tags: fc.option(filterOf, { freq: 2 }),
      topK: fc.oneof(fc.constantFrom(1, 2, 50), fc.integer({ min: 1, max: 50 })),
      minSimilarity: fc.oneof(
        fc.constant(0),
        fc.constantFrom(0.05, 0.5, 0.99999994, 1),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      includeExpired: fc.boolean(),
      includeInactive: fc.boolean(),
      // The threshold may be exactly the similarity of some memory, which is where an approximation would cut wrongly.
      thresholdFrom: fc.option(fc.nat(), { freq: 2 }),
    }),
  },
);
/** Without memories there is nothing to find. */
const seed = fc.record({
  kind: fc.constant("create" as const),
  memories: fc.array(made, { minLength: 5, maxLength: 60 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Made = typeof made extends fc.Arbitrary<infer Value> ? Value : never;

class Run {
  readonly #member: Member;
  readonly #now: number;
  readonly #memories: Model[] = [];
  #written = 0;
  results = 0;
  /** Results with a word of the query, and results of a search with tags. */
  met = 0;
  tagged = 0;

  constructor(member: Member, now: number) {
    this.#member = member;
    this.#now = now;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "create") return this.#create(step.memories);
    if (step.kind === "search") return this.#search(step);
    if (step.kind === "removeAll") {
      const { type, tags } = step;
      const outcome = await this.#member.call("memory.delete_all", {
        ...(type === null ? null : { memory_type: type }),
        ...(tags === null ? null : { tags }),
      });
      const filter = tags === null ? null : ({ tags, match: "all" } as const);
      const left = this.#memories.filter(
        (memory) => (type !== null && memory.type !== type) || !hasTags(memory, filter),
      );
      expect(outcome.data).toEqual({ deleted_count: this.#memories.length - left.length });
      this.#memories.splice(0, this.#memories.length, ...left);
      return;
    }
    const memory = this.#memories[step.at % Math.max(1, this.#memories.length)];
    if (memory === undefined) return;
    if (step.kind === "remove") {
      expect(await this.#member.call("memory.delete", { memory_id: memory.id })).toMatchObject({
        status: 204,
      });
      this.#memories.splice(this.#memories.indexOf(memory), 1);
      return;
    }
    const { expiresIn, rewritten, ...fields } = step.changes;
    const expires_at = expiresIn === undefined ? {} : { expires_at: this.#timestamp(expiresIn) };
    const content = rewritten === undefined ? {} : { content: `${rewritten.text} ${++this.#written}` };
    const input = { memory_id: memory.id, ...fields, ...expires_at, ...content };
    const prepared = rewritten === undefined ? null : toVector(rewritten.vector);
    expect(await this.#member.call("memory.update", input, prepared)).toMatchObject({ status: 200 });
    if (fields.memory_type !== undefined) memory.type = fields.memory_type;
    if (fields.importance !== undefined) memory.importance = fields.importance;
    if (fields.is_active !== undefined) memory.active = fields.is_active;
    if (fields.tags !== undefined) memory.tags = fields.tags;
    if (expiresIn !== undefined) memory.expiresAt = this.#expiry(expiresIn);
    if (prepared !== null) memory.vector = prepared;
    if (content.content !== undefined) memory.content = content.content;
  }

  async #create(memories: readonly Made[]): Promise<void> {
    const created = memories.map(
      async ({ text, type, importance, expiresIn, tags, ...spec }): Promise<Model> => {
        const [vector, expiresAt] = [toVector(spec.vector), this.#expiry(expiresIn)];
        const content = `${text} ${++this.#written}`;
        const { status, data } = await this.#member.create({
          content,
          vector,
          type,
          importance,
          expiresAt,
          tags,
        });
        expect(status).toBe(201);
        return { id: String(data.id), content, type, importance, active: true, expiresAt, vector, tags };
      },
    );
    this.#memories.push(...(await Promise.all(created)));
  }

  async #search({
    kind: _,
    thresholdFrom,
    vector,
    ...rest
  }: Extract<Step, { kind: "search" }>): Promise<void> {
    let query: Query = { ...rest, vector: toVector(vector), now: this.#now };
    if (thresholdFrom !== null) {
      const all = searchNaively(this.#memories, { ...query, minSimilarity: 0, topK: this.#memories.length });
      query = { ...query, minSimilarity: all[thresholdFrom % Math.max(1, all.length)]?.similarity ?? 0 };
    }
    const found = await this.#member.search(query);
    this.results += found.length;
    this.tagged += query.tags === null ? 0 : found.length;
    this.met += found.filter(({ keyword }) => keyword > 0).length;
    const hits = found.map(({ memory: { id, importance }, similarity, keyword, relevance }) => ({
      id,
      importance,
      similarity,
      keyword,
      relevance,
      score: finalScore(relevance, importance),
    }));
    expect(hits).toEqual(searchNaively(this.#memories, query));
  }

  #expiry(expiresIn: number | null): number | null {
    return expiresIn === null ? null : this.#now + expiresIn;
  }

  #timestamp(expiresIn: number | null): string | null {
    return expiresIn === null ? null : new Date(this.#now + expiresIn).toISOString();
  }
}

export function testSearch(subject: EngineUnderTest): void {
  describe.each(Object.entries(subject.searchOptions ?? { default: {} }))("search, %s", (_, options) => {
    test("is exact after any sequence of changes", async () => {
      let [results, met, tagged] = [0, 0, 0];
      await withNewSeam(
        subject,
        (seam) =>
          fc.assert(
            fc.asyncProperty(
              seed,
              fc.array(step, { minLength: 4, maxLength: 40, size: "max" }),
              async (seeding, steps) => {
                const run = new Run(await seam.project(), Date.now());
                for (const each of [seeding, ...steps]) await run.take(each);
                results += run.results;
                met += run.met;
                tagged += run.tagged;
              },
            ),
            { numRuns: 20 },
          ),
        options,
      );
      expect(results).toBeGreaterThan(500);
      expect(met).toBeGreaterThan(100);
      expect(tagged).toBeGreaterThan(100);
    }, 60_000);
  });
}
