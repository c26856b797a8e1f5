// Tests the memories that say nearly the same against plain cosines.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StoreOptions } from "../../../../src/calls/storage/engine.ts";
import { cosine } from "../../../../src/memory/ranking/scores.ts";
import { noTags } from "../../../../src/memory/tags.ts";
import { similarMemoriesMax } from "../../../../src/platform/limits.ts";
import {
  dimensions,
  type Member,
  neverAborted,
  normalise,
  openSeam,
  type Seam,
  unitVector,
} from "../seam.ts";
import { createPlace, type EngineUnderTest } from "./engine-under-test.ts";

const nothing = new Float32Array(0);

/** Near one of four directions, at distances that no rounding can confuse. */
function near(direction: number, step: number): Float32Array {
  const noise = unitVector(1_000 + direction * 100 + step);
  return normalise(
    unitVector(direction).map((value, axis) => value + (noise[axis] ?? 0) * (0.02 + step * 0.015)),
  );
}

interface Setting {
  readonly seam: Seam;
  readonly member: Member;
  readonly known: readonly { content: string; vector: Float32Array; expiresAt: number | null }[];
  /** By id. */
  readonly contentOf: ReadonlyMap<string, string>;
  ask(vectors: readonly Float32Array[], above?: number): ReturnType<Seam["store"]["memories"]["findSimilar"]>;
  close(): Promise<void>;
}

async function prepare({ open }: EngineUnderTest, options: Partial<StoreOptions>): Promise<Setting> {
  const place = createPlace();
  const seam = await openSeam({ engine: open(place.folder), ledger: place.ledger, ...options });
  const [member, other] = [await seam.project(), await seam.project()];
  const known = Array.from({ length: 120 }, (_, at) => ({
    content: `memory ${at}`,
    vector: near(at % 4, Math.floor(at / 4)),
    expiresAt: at % 10 === 7 ? seam.now() - 1_000 : null,
  }));
  const contentOf = new Map<string, string>();
  for (const memory of known) {
    contentOf.set(String((await member.create(memory)).data.id), memory.content);
    await other.create(memory);
  }
  const { data } = await member.create({ content: "switched off", vector: near(0, 40) });
  await member.call("memory.update", { memory_id: String(data.id), is_active: false });
  contentOf.set(String(data.id), "switched off");
  return {
    seam,
    member,
    known,
    contentOf,
    ask(vectors, above = 0.9) {
      const query = { vectors, earlier: nothing, above, tags: noTags, now: seam.now() };
      return seam.store.memories.findSimilar(member.caller.owner, query, neverAborted);
    },
    async close() {
      await seam.close();
      place[Symbol.dispose]();
      expect(seam.complaints).toEqual([]);
    },
  };
}

export function testSimilarMemories(subject: EngineUnderTest): void {
  describe.each(Object.entries(subject.searchOptions ?? { default: {} }))(
    "similar memories, %s",
    (name, options) => {
      let setting: Setting;
      beforeAll(async () => {
        setting = await prepare(subject, options);
      });
      afterAll(() => setting.close());

      test("all that are above, the nearest first, without expired and inactive ones and other projects", async () => {
        const { ask, known, contentOf } = setting;
        const vectors = [0, 1, 2, 3, 4].map((direction) => unitVector(direction));
        const { found: matches } = await ask(vectors);
        const alive = known.filter(({ expiresAt }) => expiresAt === null);
        for (const [at, found] of matches.entries()) {
          const expected = alive
            .map(({ content, vector }) => ({ content, similarity: cosine(vectors[at] ?? vector, vector) }))
            .filter(({ similarity }) => similarity > 0.9)
            .sort((a, b) => b.similarity - a.similarity);
          expect(found.map(({ id }) => contentOf.get(id))).toEqual(expected.map(({ content }) => content));
          expect(found.map(({ similarity }) => similarity)).toEqual(
            expected.map(({ similarity }) => similarity),
          );
        }
        expect(matches.map(({ length }) => length > 0)).toEqual([true, true, true, true, false]);
      });

      test("of more than are told the nearest, whatever their importance", async () => {
        const { seam } = setting;
        const crowd = await seam.project();
        const vectors = Array.from({ length: similarMemoriesMax + 20 }, (_, at) => near(2, at));
        const ids: unknown[] = [];
        for (const [at, vector] of vectors.entries()) {
          const importance = at / vectors.length;
          ids.push((await crowd.create({ content: `${at}`, vector, importance })).data.id);
        }
        const query = {
          vectors: [unitVector(2)],
          earlier: nothing,
          above: 0.1,
          tags: noTags,
          now: seam.now(),
        };
        const { found } = await seam.store.memories.findSimilar(crowd.caller.owner, query, neverAborted);
        const nearest = vectors
          .map((vector, at) => ({ id: ids[at], similarity: cosine(unitVector(2), vector) }))
          .sort((a, b) => b.similarity - a.similarity);
        expect<unknown>(found[0]).toEqual(nearest.slice(0, similarMemoriesMax));
      });

      test("with some tags are told apart from the others, as many of each", async () => {
        const { seam } = setting;
        const crowd = await seam.project();
        const wanted = ["a", "b"];
        const kinds = [["a", "b"], ["a"], [], ["b", "c", "a"]];
        const vectors = Array.from({ length: 2 * similarMemoriesMax + 41 }, (_, at) => near(2, at));
        const known: { id: unknown; similarity: number; isInScope: boolean }[] = [];
        for (const [at, vector] of vectors.entries()) {
          // Most of the nearest ones are others.
          const tags = at < similarMemoriesMax + 20 && at % 5 > 0 ? ["a"] : (kinds[at % 4] ?? []);
          const { data } = await crowd.create({ content: `${at}`, vector, tags });
          const isInScope = wanted.every((tag) => tags.includes(tag));
          known.push({ id: data.id, similarity: cosine(unitVector(2), vector), isInScope });
        }
        known.sort((a, b) => b.similarity - a.similarity);
        const numbers = new Map<boolean, number>();
        const expected = known.filter(({ isInScope }) => {
          const number = (numbers.get(isInScope) ?? 0) + 1;
          numbers.set(isInScope, number);
          return number <= similarMemoriesMax;
        });
        const query = {
          vectors: [unitVector(2)],
          earlier: nothing,
          above: 0.1,
          tags: wanted,
          now: seam.now(),
        };
        const { found } = await seam.store.memories.findSimilar(crowd.caller.owner, query, neverAborted);
        expect<unknown>(found[0]).toEqual(expected.map(({ id, similarity }) => ({ id, similarity })));
        expect(numbers.get(false)).toBeGreaterThan(similarMemoriesMax);
      });

      test("and the similar ones among the items of the call before each", async () => {
        const { seam, member } = setting;
        const items = Array.from({ length: 40 }, (_, at) => near(at % 4, Math.floor(at / 4)));
        const matrix = new Float32Array(new SharedArrayBuffer(items.length * dimensions * 4));
        for (const [at, item] of items.entries()) matrix.set(item, at * dimensions);
        const start = 25;
        const { similarItems } = await seam.store.memories.findSimilar(
          member.caller.owner,
          {
            vectors: items.slice(start),
            earlier: matrix.subarray(0, start * dimensions),
            above: 0.9,
            tags: noTags,
            now: seam.now(),
          },
          neverAborted,
        );
        const expected = items.slice(start).map((item, at) =>
          items
            .slice(0, start + at)
            .map((other, position) => ({ position, similarity: cosine(item, other) }))
            .filter(({ similarity }) => similarity > 0.9),
        );
        const found = similarItems.map(({ items: positions, similarities }) =>
          [...positions].map((position, place) => ({ position, similarity: similarities[place] ?? 0 })),
        );
        expect(found).toEqual(expected);
        expect(expected.flat().length).toBeGreaterThan(10);
      });

      test("none for no vectors, and what is exactly at the threshold is not above it", async () => {
        const { ask } = setting;
        expect((await ask([])).found).toEqual([]);
        const own = near(1, 3);
        expect((await ask([own], cosine(own, own))).found).toEqual([[]]);
      });

      test("what comes later is behind the revision, and found the next time", async () => {
        const { ask, member } = setting;
        const vector = unitVector(9);
        const before = await ask([vector]);
        await member.create({ content: `later, ${name}`, vector });
        const after = await ask([vector]);
        expect(before.found).toEqual([[]]);
        expect(after.found[0]?.length).toBe(1);
        expect(after.revision).toBeGreaterThan(before.revision);
      });
    },
  );
}
