// What every engine promises about passages of conversations: they are contexts for clients, and in nobody's way who keeps memories.

import { describe, expect, test } from "bun:test";
import { contentKey } from "../../../../src/memory/memory.ts";
import { type Member, neverAborted, type Seam, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";

const vector = unitVector(1);
const kept = (content: string, more = {}) => ({ content, vector, ...more });
const said = (content: string, more = {}) => ({ content, vector, passage: true, ...more });

async function createdId(member: Member, memory: ReturnType<typeof kept>): Promise<string> {
  const { code, data } = await member.create(memory);
  expect(code).toBe(1000);
  return String(data.id);
}

const contentsOf = (memories: readonly { readonly content: string }[]) =>
  memories.map(({ content }) => content).toSorted();

/** In everything that reads many memories. */
async function readAll({ store }: Seam, member: Member, origin: "conversation" | "kept" | null) {
  const { owner } = member.caller;
  const about = { tags: null, topK: 10, now: Date.now(), origin };
  const query = { ...about, vector, words: null, minSimilarity: 0, types: ["fact", "context"] as const };
  const search = { ...query, includeExpired: false, includeInactive: false, prompt: null };
  const page = { type: null, tags: null, withVectors: false, cursor: null, limit: 10, origin };
  const { rules, hits } = await store.memories.readForInjection(owner, search, neverAborted);
  const top = await store.memories.readTopMemories(owner, query, neverAborted);
  const exported = await store.memories.exportPage(owner, page, neverAborted);
  return {
    listed: contentsOf((await member.list({ origin })).memories),
    found: contentsOf((await member.search({ vector, origin })).map(({ memory }) => memory)),
    injected: contentsOf(hits.map(({ memory }) => memory)),
    rules: contentsOf(rules),
    top: contentsOf(top.memories),
    exported: contentsOf(exported?.memories ?? []),
    tags: (
      await store.memories.listTags(owner, { type: null, origin, limit: 9, after: { skip: 0 } }, neverAborted)
    )?.tags,
  };
}

export function testPassages(subject: EngineUnderTest): void {
  describe("passages", () => {
    test("are read as contexts, alone, with what is kept, or not at all", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const id = await createdId(member, said("said", { tags: ["a"] }));
        await createdId(member, kept("context", { type: "context", tags: ["a", "b"] }));
        await createdId(member, kept("rule", { type: "rule" }));
        await (await seam.project()).create(said("of another project"));
        const { data } = await member.call("memory.update", { memory_id: id, importance: 0.9 });
        expect(data).toMatchObject({ memory_type: "context", origin: "conversation", importance: 0.9 });
        const all = (of: string[], rest: string[]) => ({
          ...{ listed: [...of, ...rest], found: [...of, ...rest], exported: [...of, ...rest] },
          ...{ injected: of, top: of, rules: ["rule"] },
        });
        expect(await readAll(seam, member, null)).toEqual({
          ...all(["context", "said"], []),
          ...{ listed: ["context", "rule", "said"], found: ["context", "rule", "said"] },
          exported: ["context", "rule", "said"],
          tags: [
            { tag: "a", count: 2 },
            { tag: "b", count: 1 },
          ],
        });
        expect(await readAll(seam, member, "conversation")).toEqual({
          ...all(["said"], []),
          tags: [{ tag: "a", count: 1 }],
        });
        expect(await readAll(seam, member, "kept")).toEqual({
          ...all(["context"], ["rule"]),
          tags: [
            { tag: "a", count: 1 },
            { tag: "b", count: 1 },
          ],
        });
        const contexts = await member.list({ type: "context" });
        expect(contexts.memories.map(({ content, passage }) => [content, passage])).toEqual([
          ["context", false],
          ["said", true],
        ]);
        expect((await member.list({ type: "fact", origin: "conversation" })).total).toBe(0);
        const { owner } = member.caller;
        expect(await seam.store.memories.statistics(owner, Date.now(), neverAborted)).toMatchObject({
          byType: { rule: 1, fact: 0, context: 2 },
          passages: 1,
          searchable: 3,
        });
      }));

    test("do not take a content from what is kept, nor are they found again to be updated", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const passage = await createdId(member, said("same"));
        expect(await member.create(said(" same "))).toMatchObject({
          code: 2104,
          data: { memory_id: passage },
        });
        const id = await createdId(member, kept("same"));
        expect(await member.create(kept("same"))).toMatchObject({ code: 2104, data: { memory_id: id } });
        const { owner } = member.caller;
        const similar = await seam.store.memories.findSimilar(
          owner,
          { vectors: [vector], earlier: new Float32Array(0), above: 0.5, tags: [], now: Date.now() },
          neverAborted,
        );
        expect(similar.found).toEqual([[{ id, similarity: 1 }]]);
        const held = [
          { id: null, contentKey: contentKey("same") },
          { id: null, contentKey: contentKey("same", { passage: true }) },
          { id: null, contentKey: contentKey("other", { passage: true }) },
        ];
        expect(await seam.store.memories.findHeld(owner, held, Date.now())).toEqual([true, true, false]);
      }));

    test("count apart from the memories of the project", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 2 });
        const counts = async () => {
          const { rows } = await seam.administer("project.list", {});
          const { memories, passages } = rows.find(({ id }) => id === member.id) ?? {};
          return { memories, passages };
        };
        await createdId(member, kept("one"));
        for (const content of ["said 1", "said 2", "said 3"]) await createdId(member, said(content));
        expect(await counts()).toEqual({ memories: 1, passages: 3 });
        await createdId(member, kept("two"));
        expect((await member.create(kept("three"))).code).toBe(2101);
        await member.call("memory.delete_all", { origin: "conversation" });
        expect(await counts()).toEqual({ memories: 2, passages: 0 });
        expect((await member.create(kept("three"))).code).toBe(2101);
      }));

    test("are deleted by their origin, also with tags", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        for (const tag of ["a", "b", "c"]) {
          await createdId(member, said(`said ${tag}`, { tags: [tag] }));
          await createdId(member, kept(`kept ${tag}`, { tags: [tag], type: "context" }));
        }
        const left = async () => contentsOf((await member.list()).memories);
        const remove = async (input: object, count: number) =>
          expect((await member.call("memory.delete_all", { ...input })).data).toEqual({
            deleted_count: count,
          });
        await remove({ origin: "conversation", tags: ["a"] }, 1);
        await remove({ origin: "kept", tags: ["b"] }, 1);
        expect(await left()).toEqual(["kept a", "kept c", "said b", "said c"]);
        await remove({ origin: "conversation", memory_type: "fact" }, 0);
        await remove({ origin: "conversation" }, 2);
        expect(await left()).toEqual(["kept a", "kept c"]);
        await createdId(member, said("said b"));
        await remove({ memory_type: "context" }, 3);
        expect(await left()).toEqual([]);
        expect(await member.search({ vector })).toEqual([]);
      }));

    test("are kept from the change of their text or type on, if there is room", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 2 });
        const [first, second, third] = [
          await createdId(member, said("first")),
          await createdId(member, said("second")),
          await createdId(member, said("third")),
        ];
        const update = (id: string, input: object, prepared: unknown = null) =>
          member.call("memory.update", { memory_id: id, ...input }, prepared);
        const same = await update(first, {
          content: "first",
          memory_type: "context",
          origin: "conversation",
        });
        expect(same.data).toMatchObject({ origin: "conversation" });
        const changed = await update(first, { content: "edited" }, unitVector(2));
        expect(changed).toMatchObject({ code: 1000, data: { memory_type: "context", content: "edited" } });
        expect(changed.data).not.toHaveProperty("origin");
        expect((await update(second, { memory_type: "fact" })).data).toMatchObject({ memory_type: "fact" });
        expect((await member.list({ origin: "kept" })).total).toBe(2);
        expect((await member.create(kept("second"))).code).toBe(2104);
        expect((await update(third, { memory_type: "fact" })).code).toBe(2101);
        expect((await member.list({ origin: "conversation" })).memories.map(({ id }) => id)).toEqual([third]);
        await member.call("memory.delete", { memory_id: first });
        expect(await update(third, { content: "second" }, unitVector(3))).toMatchObject({
          code: 2104,
          data: { memory_id: second },
        });
        expect(await update(third, { origin: "kept" })).toMatchObject({
          code: 1400,
          data: { field: "origin" },
        });
        expect((await update(third, { content: "third again" }, unitVector(3))).code).toBe(1000);
        expect((await member.list({ origin: "conversation" })).total).toBe(0);
      }));
  });
}
