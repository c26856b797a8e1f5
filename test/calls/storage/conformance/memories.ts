// What every engine promises about memories: lists, duplicates, limits, bulk deletes, and that projects see nothing of each other.

import { describe, expect, test } from "bun:test";
import type { RecordQuery } from "../../../../src/calls/storage/ledger-store.ts";
import { contentKey, type Memory, type MemoryType } from "../../../../src/memory/memory.ts";
import type { ExportQuery } from "../../../../src/memory/search/export-query.ts";
import type { ListQuery } from "../../../../src/memory/search/list-query.ts";
import { type ListOptions, type Member, neverAborted, type Outcome, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";
import { everyRecord } from "./records.ts";

const hourMs = 3_600_000;
const memory = (content: string) => ({ content, vector: unitVector(content.length) });
const newest: RecordQuery = { ...everyRecord, action: "memory.read", limit: 1 };
const listed = async (member: Member, query: ListOptions = {}) => {
  const { memories, total } = await member.list(query);
  return { contents: memories.map(({ content }) => content), total };
};

export function testMemories(subject: EngineUnderTest): void {
  describe("memories", () => {
    test("are listed in each order, in pages, with the total of all", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const types: readonly MemoryType[] = ["rule", "fact", "context"];
        const ids: string[] = [];
        for (const [at, importance] of [0.5, 0.9, 0.5, 0, 1].entries()) {
          const type = types[at % 3] ?? "fact";
          const { data } = await member.create({ ...memory(`m${at}`), importance, type });
          ids.push(String(data.id));
        }
        await member.call("memory.update", { memory_id: ids[1] ?? "", is_active: false });
        const all = (query: ListOptions) => listed(member, query);
        const orders: [ListQuery["sortBy"], ListQuery["direction"], string[]][] = [
          ["created_at", "desc", ["m4", "m3", "m2", "m1", "m0"]],
          ["created_at", "asc", ["m0", "m1", "m2", "m3", "m4"]],
          ["updated_at", "desc", ["m1", "m4", "m3", "m2", "m0"]],
          ["updated_at", "asc", ["m0", "m2", "m3", "m4", "m1"]],
          // Of equal importance the newest is first, in both directions.
          ["importance", "desc", ["m4", "m1", "m2", "m0", "m3"]],
          ["importance", "asc", ["m3", "m2", "m0", "m1", "m4"]],
        ];
        for (const [sortBy, direction, contents] of orders) {
          expect(await all({ sortBy, direction })).toEqual({ contents, total: 5 });
          const pages = [0, 2, 4].map((offset) => all({ sortBy, direction, limit: 2, offset }));
          expect((await Promise.all(pages)).flatMap((each) => each.contents)).toEqual(contents);
        }
        expect(await all({ type: "rule" })).toEqual({ contents: ["m3", "m0"], total: 2 });
        expect(await all({ offset: 9 })).toEqual({ contents: [], total: 5 });
      }));

    test("are exported in the order of creation, each once, whatever changes meanwhile", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const other = await seam.project();
        const ids: string[] = [];
        for (let at = 0; at < 6; at++) {
          const { data } = await member.create({ ...memory(`m${at}`), type: at === 1 ? "rule" : "fact" });
          ids.push(String(data.id));
          await other.create(memory(`o${at}`));
        }
        const query = { type: null, tags: null, withVectors: true, cursor: null, limit: 2 };
        const read = (changed: Partial<ExportQuery>, owner = member.caller.owner) =>
          seam.store.memories.exportPage(owner, { ...query, ...changed }, neverAborted);
        const first = await read({});
        expect(first?.memories.map(({ content }) => content)).toEqual(["m0", "m1"]);
        expect(first?.vectors?.vectors.map((vector) => [...vector])).toEqual([
          [...unitVector(2)],
          [...unitVector(2)],
        ]);
        expect(first?.vectors?.model.dimensions).toBe(unitVector(2).length);
        await member.call("memory.update", { memory_id: ids[0] ?? "", is_active: false });
        await member.call("memory.delete", { memory_id: ids[1] ?? "" });
        await member.call("memory.delete", { memory_id: ids[3] ?? "" });
        await member.create(memory("m6"));
        const rest: string[] = [];
        for (let cursor = first?.next ?? null; cursor !== null; ) {
          const page = await read({ cursor });
          rest.push(...(page?.memories.map(({ content }) => content) ?? []));
          cursor = page?.next ?? null;
        }
        expect(rest).toEqual(["m2", "m4", "m5", "m6"]);
        const rules = await read({ type: "fact", limit: 9, withVectors: false });
        expect([rules?.memories.length, rules?.vectors, rules?.next]).toEqual([5, null, null]);
        const cursor = first?.next ?? null;
        expect(await read({ cursor, type: "fact" })).toBeNull();
        expect(await read({ cursor: "nonsense" })).toBeNull();
      }));

    test("are found before they are created again, by id and by content", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const other = await seam.project();
        const { data } = await member.create({ ...memory("held"), expiresAt: seam.now() + hourMs });
        const id = String(data.id);
        const find = (owner = member.caller.owner) =>
          seam.store.memories.findHeld(
            owner,
            [
              { id, contentKey: contentKey("another") },
              { id: null, contentKey: contentKey(" held ") },
              { id: "0".repeat(32), contentKey: contentKey("another") },
            ],
            seam.now(),
          );
        expect(await find()).toEqual([true, true, false]);
        expect(await find(other.caller.owner)).toEqual([false, false, false]);
        seam.passTime(hourMs);
        expect(await find()).toEqual([true, false, false]);
        await member.call("memory.delete_all", {});
        expect(await find()).toEqual([false, false, false]);
      }));

    test("are the same when their content is, until the first one has expired", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const first = await member.create({ ...memory("same"), expiresAt: seam.now() + hourMs });
        expect(await member.create(memory("  same "))).toMatchObject({
          code: 2104,
          data: { memory_id: first.data.id },
        });
        seam.passTime(hourMs);
        const second = await member.create(memory("same"));
        expect(second.code).toBe(1000);
        // Coming back to life means to claim the content, which has another holder now.
        const revive = { memory_id: String(first.data.id), expires_at: null };
        expect((await member.call("memory.update", revive)).code).toBe(2104);
        expect((await listed(member)).total).toBe(2);
      }));

    test.each<[string, (member: Member, id: string) => Promise<Outcome>, Outcome["data"] | number]>([
      ["nothing", (member) => member.create(memory("another one")), { content: "read", importance: 0.5 }],
      [
        "a change",
        (member, id) => member.call("memory.update", { memory_id: id, importance: 1 }),
        { content: "read", importance: 1 },
      ],
      ["its deletion", (member, id) => member.call("memory.delete", { memory_id: id }), 2100],
      ["the deletion of all", (member) => member.call("memory.delete_all", {}), 2100],
    ])(
      "are read as they are in the transaction, after %s since the read was prepared",
      (_, change, expected) =>
        withSeam(subject, async (seam) => {
          const member = await seam.project();
          const { data } = await member.create(memory("read"));
          const settleRead = await member.prepareRead(String(data.id));
          expect((await change(member, String(data.id))).code).toBe(1000);
          const read = await settleRead();
          if (typeof expected === "number") expect(read.code).toBe(expected);
          else expect(read).toMatchObject({ code: 1000, data: { id: data.id, ...expected } });
          // The record tells what the caller was told.
          const { records } = await seam.store.audit.list(member.caller.project, newest, neverAborted);
          const told: unknown = JSON.parse(records[0]?.payload ?? "null");
          expect(told).toMatchObject({ response_body: { code: read.code, data: read.data } });
        }),
    );

    test("are found by a reader in the version that was answered last", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const { owner } = member.caller;
        const { data } = await member.create(memory("found"));
        const id = String(data.id);
        const first = await seam.store.memories.find(owner, id);
        expect(first).toMatchObject({ memory: { id, content: "found" } });
        expect(await seam.store.memories.find(other.caller.owner, id)).toBeNull();
        await member.call("memory.update", { memory_id: id, importance: 0.25 });
        const second = await seam.store.memories.find(owner, id);
        expect(second).toMatchObject({ memory: { id, importance: 0.25 } });
        expect(second?.revision).not.toBe(first?.revision);
        await member.call("memory.delete", { memory_id: id });
        expect(await seam.store.memories.find(owner, id)).toBeNull();
      }));

    test("are found in the version that was answered, while others keep reading", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { owner } = member.caller;
        const { data } = await member.create(memory("busy"));
        const id = String(data.id);
        let isReading = true;
        const readAll = async () => {
          for (; isReading; await new Promise(setImmediate)) await seam.store.memories.find(owner, id);
        };
        const reading = Promise.all([readAll(), readAll()]);
        for (let at = 1; at <= 40; at++) {
          const importance = at / 100;
          const found = await member
            .call("memory.update", { memory_id: id, importance })
            .then(() => seam.store.memories.find(owner, id));
          expect(found?.memory.importance).toBe(importance);
        }
        isReading = false;
        await reading;
      }));

    test("keep their content when a successor is refused", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 1 });
        const { data } = await member.create({ ...memory("juice"), expiresAt: seam.now() + hourMs });
        seam.passTime(hourMs);
        expect((await member.create(memory("juice"))).code).toBe(2101);
        await seam.administer("project.update", { project: member.id, memory_limit: 2 });
        // Had the refused call taken the content away for good, coming back to life would be refused or doubled.
        const revived = await member.call("memory.update", { memory_id: String(data.id), expires_at: null });
        expect(revived.code).toBe(1000);
        expect((await member.create(memory("juice"))).code).toBe(2104);
      }));

    test("count against the limit until they are deleted, expired and inactive ones too", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 3 });
        await member.create({ ...memory("expired"), expiresAt: seam.now() - 1 });
        const { data } = await member.create(memory("inactive"));
        await member.call("memory.update", { memory_id: String(data.id), is_active: false });
        expect((await member.create(memory("third one"))).code).toBe(1000);
        expect((await member.create(memory("fourth one"))).code).toBe(2101);
        await member.call("memory.delete", { memory_id: String(data.id) });
        expect((await member.create(memory("fourth one"))).code).toBe(1000);
      }));

    test("are gone at once when all of a type are deleted, and their contents are free", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 4 });
        const other = await seam.project();
        await other.create(memory("fact 1"));
        const { data } = await member.create(memory("fact 1"));
        await Promise.all([member.create(memory("fact 2")), member.create(memory("fact 3"))]);
        await member.create({ ...memory("rule 1"), type: "rule" });
        const deleted = await member.call("memory.delete_all", { memory_type: "fact" });
        expect(deleted.data).toEqual({ deleted_count: 3 });
        expect(await listed(member)).toEqual({ contents: ["rule 1"], total: 1 });
        const found = await member.search({ vector: unitVector(6), words: "fact", includeExpired: true });
        expect(found.map(({ memory: { content } }) => content)).toEqual(["rule 1"]);
        const read = await member.call("memory.read", { memory_id: String(data.id) });
        expect(read.code).toBe(2100);
        for (const at of [1, 2, 3]) expect((await member.create(memory(`fact ${at}`))).code).toBe(1000);
        expect((await member.create(memory("one too many"))).code).toBe(2101);
        expect(await member.call("memory.delete_all", {})).toMatchObject({ data: { deleted_count: 4 } });
        expect(await member.call("memory.delete_all", {})).toMatchObject({ data: { deleted_count: 0 } });
        expect((await listed(other)).total).toBe(1);
      }));

    test("say soon when they were last read or found", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("read"));
        await member.create(memory("never read"));
        await member.call("memory.read", { memory_id: String(data.id) });
        for (const endsAt = Date.now() + 30_000; Date.now() < endsAt; await Bun.sleep(10)) {
          seam.passTime(1_000);
          const [other, read] = (await member.list()).memories;
          expect(other?.lastAccessedAt).toBeNull();
          if (read?.lastAccessedAt !== null) return expect(read?.lastAccessedAt).toBeNumber();
        }
        throw new Error("the time of the last access was never stored");
      }));

    test("of another project do not exist", () =>
      withSeam(subject, async (seam) => {
        const [mine, theirs] = [await seam.project(), await seam.project()];
        const { data } = await theirs.create(memory("theirs"));
        const memory_id = String(data.id);
        for (const operation of ["memory.read", "memory.delete"])
          expect((await mine.call(operation, { memory_id })).code).toBe(2100);
        expect((await mine.call("memory.update", { memory_id, importance: 1 })).code).toBe(2100);
        expect(await listed(mine)).toEqual({ contents: [], total: 0 });
        expect((await mine.create(memory("theirs"))).code).toBe(1000);
        expect((await theirs.call("memory.read", { memory_id })).code).toBe(1000);
      }));

    test("that are active rules come with every injection, the most important first", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const rule = { type: "rule" } as const;
        await member.create({ ...memory("older"), ...rule, importance: 0.5 });
        await member.create({ ...memory("important"), ...rule, importance: 1 });
        await member.create({ ...memory("newer"), ...rule, importance: 0.5 });
        await member.create({ ...memory("expired"), ...rule, expiresAt: seam.now() - 1 });
        const { data } = await member.create({ ...memory("inactive"), ...rule });
        await member.call("memory.update", { memory_id: String(data.id), is_active: false });
        await member.create(memory("a fact"));
        const query = {
          vector: unitVector("a fact".length),
          words: null,
          types: ["fact", "context"],
          tags: null,
          topK: 5,
          minSimilarity: 0,
          includeExpired: false,
          includeInactive: false,
          now: seam.now(),
        } as const;
        const { rules, hits } = await seam.store.memories.readForInjection(
          member.caller.owner,
          { ...query, prompt: null },
          neverAborted,
        );
        expect(rules.map(({ content }) => content)).toEqual(["important", "older", "newer"]);
        expect(hits.map(({ memory: { content }, similarity }) => [content, similarity])).toEqual([
          ["a fact", 1],
        ]);
      }));

    test("that are important and recent come with an injection without a query, exactly in their order", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { owner } = member.caller;
        await (await seam.project()).create({ ...memory("of another project"), importance: 1 });
        await member.create({ ...memory("a rule"), type: "rule", importance: 0 });
        await member.create({ ...memory("another rule"), type: "rule" });
        const importances = [0.2, 0.9, 0.5, 0.5, 1, 0.5, 0, 0.9];
        const ids = new Map<string, string>();
        for (const [at, importance] of importances.entries()) {
          // Memories of the same moment and importance are common: an extraction stores several at once.
          if (at !== 3) seam.passTime(9 * 86_400_000);
          const type = at % 3 === 2 ? "context" : "fact";
          const { data } = await member.create({ ...memory(`memory ${at}`), type, importance });
          ids.set(`memory ${at}`, String(data.id));
        }
        await member.create({ ...memory("expired"), importance: 1, expiresAt: seam.now() - 1 });
        const { data } = await member.create({ ...memory("inactive"), importance: 1 });
        await member.call("memory.update", { memory_id: String(data.id), is_active: false });
        const changed = ids.get("memory 0") ?? "";
        await member.call("memory.update", { memory_id: changed, importance: 0.6 });

        const all = (await member.list()).memories;
        const now = seam.now() + 86_400_000;
        const scoreOf = ({ importance, updatedAt }: Memory) =>
          importance * 0.7 + 0.3 * 2 ** (-(now - updatedAt) / (30 * 86_400_000));
        const expected = all
          .filter(({ content }) => content.startsWith("memory "))
          .sort((a, b) => scoreOf(b) - scoreOf(a) || (a.id < b.id ? 1 : -1));
        expect(expected).toHaveLength(importances.length);
        for (const topK of [1, 3, 8, 50]) {
          const query = { types: ["fact", "context"], tags: null, topK, now } as const;
          const { rules, memories } = await seam.store.memories.readTopMemories(owner, query, neverAborted);
          expect(memories).toEqual(expected.slice(0, topK));
          expect(rules.map(({ content }) => content)).toEqual(["another rule", "a rule"]);
        }
        const facts = { types: ["fact"], tags: null, topK: 50, now } as const;
        expect((await seam.store.memories.readTopMemories(owner, facts, neverAborted)).memories).toEqual(
          expected.filter(({ type }) => type === "fact"),
        );
        await member.call("memory.delete_all", { memory_type: "fact" });
        const query = { types: ["fact", "context"], tags: null, topK: 50, now } as const;
        expect((await seam.store.memories.readTopMemories(owner, query, neverAborted)).memories).toEqual(
          expected.filter(({ type }) => type === "context"),
        );
      }));
  });
}
