// What every engine promises about suggestions: they wait for their owner alone, and go with the memories that they concern.

import { describe, expect, test } from "bun:test";
import type { FoundPair } from "../../../../src/calls/operations/suggestions/found.ts";
import type { SuggestionQuery } from "../../../../src/calls/storage/suggestion-store.ts";
import { contentKey } from "../../../../src/memory/memory.ts";
import { foundMax } from "../../../../src/memory/suggestions/limits.ts";
import type { JsonObject } from "../../../../src/platform/json/json.ts";
import { type Member, type Seam, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";

const vector = unitVector(1);

async function create(member: Member, content: string, fields: JsonObject = {}): Promise<string> {
  const { code, data } = await member.create({ content, vector, ...fields });
  expect(code).toBe(1000);
  return String(data.id);
}

async function propose(member: Member, body: JsonObject): Promise<string> {
  const { code, data } = await member.call("suggestion.create", body);
  expect(code).toBe(1000);
  return String(data.id);
}

/** What an extraction stores that has found the pairs. @returns the ids of the new memories */
async function extract(
  member: Member,
  contents: readonly string[],
  known: readonly string[],
  kind: FoundPair["kind"],
) {
  const nearMatches = known.map((id) => ({ id, kind }));
  const candidates = contents.map((content) => ({
    content,
    type: "fact",
    importance: 0.5,
    expiresAt: null,
    evidence: content,
    vector,
    contentKey: contentKey(content),
    found: [],
    similarItems: null,
    nearMatches,
  }));
  const read = { input: {}, said: [], extractor: "built-in", detail: "essential", model: null, usage: null };
  const prepared = {
    ...read,
    redacted: [],
    leftOut: [],
    cost: { credits: 0, usd: 0 },
    candidates,
    revision: null,
  };
  const { code, data } = await member.call("memory.extract", { text: "x" }, prepared);
  expect(code).toBe(1000);
  return (data.extracted as { id: string }[]).map(({ id }) => id);
}

const everything: SuggestionQuery = { kind: null, memory: null, after: null, limit: 1_000 };
const idsOf = async ({ store }: Seam, { caller }: Member, query: Partial<SuggestionQuery> = {}) =>
  (await store.suggestions.list(caller.owner, { ...everything, ...query })).map(({ id }) => id);

export function testSuggestions(subject: EngineUnderTest): void {
  describe("suggestions", () => {
    test("are listed by their owner, newest first, from any place on", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const memory = await create(member, "one");
        const first = await propose(member, { kind: "create", content: "two", memory_type: "fact" });
        const second = await propose(member, {
          kind: "change",
          memory_id: memory,
          importance: 0.1,
          reason: "why",
        });
        const third = await propose(member, { kind: "delete", memory_id: memory });
        expect(await idsOf(seam, member)).toEqual([third, second, first]);
        expect(await idsOf(seam, member, { limit: 2 })).toEqual([third, second]);
        expect(await idsOf(seam, member, { after: second })).toEqual([first]);
        expect(await idsOf(seam, member, { memory })).toEqual([third, second]);
        expect(await idsOf(seam, member, { kind: "create" })).toEqual([first]);
        const { suggestions } = seam.store;
        expect(await suggestions.find(member.caller.owner, second)).toMatchObject({
          kind: "change",
          source: "key",
          memories: [{ id: memory }],
          fields: { importance: 0.1 },
          reason: "why",
          quotes: [],
          key: member.caller.key.id,
        });
        expect(await idsOf(seam, other)).toEqual([]);
        expect(await suggestions.find(other.caller.owner, second)).toBeNull();
        expect((await other.call("suggestion.refuse", { suggestion_id: second })).code).toBe(2110);
        expect((await member.call("suggestion.refuse", { suggestion_id: second })).code).toBe(1000);
        expect(await idsOf(seam, member)).toEqual([third, first]);
      }));

    test("go with their memory, however it is deleted, and with their project", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const [one, two, tagged] = [
          await create(member, "one"),
          await create(member, "two", { type: "context" }),
          await create(member, "three", { tags: ["a"] }),
        ];
        const waiting = await propose(member, { kind: "create", content: "four", memory_type: "fact" });
        for (const memory_id of [one, two, tagged]) await propose(member, { kind: "delete", memory_id });
        expect(await idsOf(seam, member)).toHaveLength(4);
        await member.call("memory.delete", { memory_id: one });
        expect(await idsOf(seam, member)).toHaveLength(3);
        await member.call("memory.delete_all", { memory_type: "context" });
        expect(await idsOf(seam, member)).toHaveLength(2);
        await member.call("memory.delete_all", { tags: ["a"] });
        expect(await idsOf(seam, member)).toEqual([waiting]);
        await seam.letHousekeepingRun();
        expect(await idsOf(seam, member)).toEqual([waiting]);
        await seam.administer("project.delete", { project: member.id });
        expect(await idsOf(seam, member)).toEqual([]);
      }));

    test("link the memories that may contradict each other, and no others", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const known = await create(member, "known");
        const [changed = ""] = await extract(member, ["changed"], [known], "changed_value");
        const [contrary = ""] = await extract(member, ["contrary"], [known], "contradiction");
        const [near = ""] = await extract(member, ["near"], [known], "near_duplicate");
        const links = async ({ caller }: Member, ids: readonly string[]) =>
          (await seam.store.suggestions.linksBetween(caller.owner, ids))
            .map((pair) => pair.toSorted())
            .toSorted();
        const all = [known, changed, contrary, near];
        expect(await links(member, all)).toEqual(
          [[known, changed].toSorted(), [known, contrary].toSorted()].toSorted(),
        );
        expect(await links(member, [changed, contrary])).toEqual([]);
        expect(await links(member, [])).toEqual([]);
        expect(await links(other, all)).toEqual([]);
        await member.call("memory.delete", { memory_id: changed });
        expect(await links(member, all)).toEqual([[known, contrary].toSorted()]);
      }));

    test("that were found make room for newer ones, and those that were proposed stay", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const proposed = await propose(member, { kind: "create", content: "two", memory_type: "fact" });
        const known = await create(member, "known");
        const [first = ""] = await extract(member, ["the first"], [known], "contradiction");
        const [oldest = ""] = await idsOf(seam, member, { memory: first });
        for (let at = 0; at < foundMax / 100; at++) {
          const contents = Array.from({ length: 100 }, (_, index) => `text ${at * 100 + index}`);
          await extract(member, contents, [known], "contradiction");
        }
        const ids = await idsOf(seam, member);
        expect(ids).toHaveLength(foundMax + 1);
        expect(ids).toContain(proposed);
        expect(ids).not.toContain(oldest);
      }));
  });
}
