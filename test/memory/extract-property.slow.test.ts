// Compares extraction with a much simpler one: any texts and similarities, in any number of calls, one memory after another.

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { defaultPlans } from "../../src/access/plan.ts";
import { createPagePins } from "../../src/audit/parts/page-pins.ts";
import { extractMemories } from "../../src/calls/operations/extraction/extract.ts";
import { bodiesHere } from "../../src/gateway/bodies.ts";
import { contentSimilarity, trigramsOf } from "../../src/memory/extraction/content-similarity.ts";
import type { MemoryType } from "../../src/memory/memory.ts";
import { cosine } from "../../src/memory/ranking/scores.ts";
import { noReranker } from "../../src/memory/search/reranker.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { testTokens } from "../access/tokens.ts";
import { keepsSecrets } from "../calls/in-process.ts";
import { dimensions, type Member, normalise, openSeam, unitVector } from "../calls/storage/seam.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../gateway/no-gateway.ts";

const seam = await openSeam();
afterAll(() => seam.close());

/** A text near one of three themes; texts with the same number are the same. */
interface Said {
  readonly theme: number;
  readonly distance: number;
  readonly number: number;
  readonly importance: number;
  readonly expiresAt: number | null;
}

const days = (count: number) => seam.now() + count * 86_400_000;

const said = fc.record({
  theme: fc.integer({ min: 0, max: 2 }),
  distance: fc.constantFrom(0.05, 0.12, 0.22, 0.35, 0.6),
  number: fc.integer({ min: 0, max: 7 }),
  importance: fc.constantFrom(0.2, 0.5, 0.9),
  expiresAt: fc.constantFrom(null, days(1), days(2)),
});
const call = fc.record({
  items: fc.array(said, { maxLength: 8 }),
  deduplicate: fc.boolean(),
  /** Which of the memories is switched on or off before the call. */
  switched: fc.option(fc.nat({ max: 20 })),
  tags: fc.oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 })),
  /** The type of the items. */
  type: fc.constantFrom("fact" as const, "rule" as const),
});

type Text = Pick<Said, "theme" | "distance" | "number">;
/** Texts with small numbers have the same words as the others of their theme. */
const textOf = ({ theme, distance, number }: Text) =>
  `Theme ${theme} has ${number > 5 ? number : "a"} value${"!".repeat(number + 1)}${"?".repeat(Math.round(distance * 100))}`;

/** The same text always has the same vector; its noise makes ties impossible. */
function vectorOf(item: Text): Float32Array {
  const noise = unitVector(item.theme * 1_000 + item.distance * 100 + item.number + 17);
  const themed = unitVector(item.theme);
  return normalise(themed.map((value, axis) => value + item.distance * (noise[axis] ?? 0)));
}

interface Compared {
  content: string;
  vector: Float32Array;
}

const similarityOf = (a: Compared, b: Compared) =>
  contentSimilarity(cosine(a.vector, b.vector), trigramsOf(a.content), trigramsOf(b.content));

interface SimpleMemory extends Compared {
  readonly importance: number;
  expiresAt: number | null;
  active: boolean;
  readonly type: MemoryType;
  tags: string[];
}

/** What a call does besides the items. */
interface Options {
  readonly deduplicate: boolean;
  readonly tags: readonly string[];
  readonly type: MemoryType;
}

/** What should be stored, by the order of creation. */
class Simple {
  readonly memories: SimpleMemory[] = [];

  take(item: Said, { deduplicate, tags, type }: Options): string {
    const [content, vector] = [textOf(item), vectorOf(item)];
    const { importance, expiresAt } = item;
    const active = this.memories.filter((memory) => memory.active);
    const ranked = active
      .map((memory) => ({ memory, similarity: similarityOf(memory, { content, vector }) }))
      .sort((a, b) => b.similarity - a.similarity);
    const isInScope = (memory: SimpleMemory) => tags.every((tag) => memory.tags.includes(tag));
    const [best] = deduplicate
      ? ranked
          .filter(({ similarity }) => similarity > 0.9)
          .filter(({ memory, similarity }) => similarity > 0.98 || isInScope(memory))
      : [];
    const known =
      best !== undefined && best.similarity > 0.98
        ? best.memory
        : active.find((memory) => memory.content === content);
    if (known !== undefined) {
      const isForAll = known.type === "rule" && known.tags.length === 0;
      if (!isForAll) known.tags = [...new Set([...known.tags, ...tags])].sort();
      return "skipped";
    }
    if (best === undefined) {
      this.memories.push({
        content,
        vector,
        importance,
        expiresAt,
        active: true,
        type,
        tags: [...tags].sort(),
      });
      return "created";
    }
    Object.assign(best.memory, { content, vector, expiresAt: expiresAt ?? best.memory.expiresAt });
    return "updated";
  }
}

async function extract(
  member: Member,
  items: readonly Said[],
  { deduplicate, tags, type }: Options,
): Promise<unknown[]> {
  const vectors = new Map(items.map((item) => [textOf(item), vectorOf(item)]));
  const input = { text: "any", deduplicate, ...(tags.length === 0 ? null : { tags: [...tags] }) };
  const found = items.map((item) => ({
    content: textOf(item),
    evidence: "any",
    type,
    importance: item.importance,
    expiresAt: item.expiresAt,
  }));
  const prepared = await extractMemories.prepare?.(input, {
    caller: member.caller,
    plan: defaultPlans.custom,
    store: seam.store,
    now: seam.now(),
    exchange: null,
    gateway: noGateway,
    memoryOutcomes: nobodyCounts,
    bodies: bodiesHere,
    injectedSections: nothingKept,
    tokens: testTokens,
    forward: cannotForward,
    within: async (_ms, work) => work,
    prices: { extractionCredits: 0, chargeDryRuns: true, creditUsd: 0 },
    extractors: {
      builtIn: { name: "built-in", extract: async () => ({ items: found, model: null, usage: null }) },
      languageModel: null,
      passagesLastMs: null,
    },
    redactor: keepsSecrets,
    signal: new AbortController().signal,
    inTurn: (work) => work(),
    perform: () => Promise.reject(new Error("an extraction performs no other operation")),
    report() {},
    reserve: async () => {},
    knownBackups: async () => null,
    pagePins: createPagePins(createClock()),
    placePrompt: () => Promise.reject(new Error("only an injection needs it")),
    embeddingModel: "of-the-test",
    reranker: noReranker,
    embed: async (text) => vectors.get(text) ?? new Float32Array(dimensions),
  });
  const { code, data } = await member.call("memory.extract", input, prepared);
  expect(code).toBe(1000);
  return (data.extracted as JsonObject[]).map(({ action }) => action);
}

test("any calls leave what a simple extraction leaves", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
      const member = await seam.project();
      const simple = new Simple();
      const query = { direction: "asc" } as const;
      for (const { items, switched, ...options } of calls) {
        const { memories } = await member.list(query);
        const at = (switched ?? 0) % Math.max(1, memories.length);
        const [known, expected] = [memories[at], simple.memories[at]];
        if (switched !== null && known !== undefined && expected !== undefined) {
          const isTaken = simple.memories.some((other) => other.active && other.content === expected.content);
          const change = { memory_id: known.id, is_active: !expected.active };
          const { code } = await member.call("memory.update", change);
          expect(code).toBe(!expected.active && isTaken ? 2104 : 1000);
          if (code === 1000) expected.active = !expected.active;
        }
        const actions = items.map((item) => simple.take(item, options));
        expect(await extract(member, items, options)).toEqual(actions);
      }
      const stored = (await member.list(query)).memories.map(
        ({ content, importance, expiresAt, active, type, tags }) => ({
          content,
          importance,
          expiresAt,
          active,
          type,
          tags: [...tags],
        }),
      );
      expect(stored).toEqual(simple.memories.map(({ vector: _, ...memory }) => memory));
      for (const { content, vector } of simple.memories) {
        const hits = await member.search({ vector, topK: 50, includeInactive: true });
        const ofContent = hits.filter(({ memory }) => memory.content === content);
        expect(Math.max(...ofContent.map(({ similarity }) => similarity))).toBeCloseTo(1, 5);
      }
    }),
    { numRuns: 60 },
  );
});

test("the texts of the property are near enough to each other to be skipped and updated", () => {
  const simple = new Simple();
  const far = [0.05, 0.12, 0.22, 0.35, 0.6].map((distance, number) => ({
    theme: 0,
    distance,
    number,
    importance: 0.5,
    expiresAt: null,
  }));
  const options = { deduplicate: true, tags: [], type: "fact" } as const;
  const actions = far.map((item) => simple.take(item, options));
  expect(new Set(actions)).toEqual(new Set(["created", "updated", "skipped"]));
});
