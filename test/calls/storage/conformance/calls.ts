// What every engine promises about a call: it and its record are committed together, it is visible once it is answered, and a refused
// one undoes only itself.

import { describe, expect, test } from "bun:test";
import { free } from "../../../../src/access/price.ts";
import { contentKey } from "../../../../src/memory/memory.ts";
import { dimensions, type Member, type Outcome, openMember, unitVector } from "../seam.ts";
import { type EngineUnderTest, withNewSeam, withSeam } from "./engine-under-test.ts";
import { readEntries, verifyRecords } from "./records.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });
const contentsOf = async (member: Member) => (await member.list()).memories.map(({ content }) => content);

async function together(...work: (() => Promise<Outcome>)[]): Promise<number[]> {
  const outcomes = await Promise.all(work.map((each) => each()));
  return outcomes.map(({ code }) => code);
}

export function testCalls(subject: EngineUnderTest): void {
  describe("a call", () => {
    test("leaves one record, whether it was done, refused or read", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("recorded"));
        await member.create(memory("recorded"));
        await member.call("memory.read", { memory_id: String(data.id) });
        await member.call("memory.read", { memory_id: "0".repeat(32) });
        const entries = await readEntries(seam, member);
        expect(entries.map(({ action, status, memory: id }) => [action, status, id])).toEqual([
          ["memory.create", 201, String(data.id)],
          ["memory.create", 409, null],
          ["memory.read", 200, String(data.id)],
          ["memory.read", 404, null],
        ]);
        expect(entries.every(({ key }) => key === member.caller.key.id)).toBe(true);
        await verifyRecords(seam, member);
      }));

    test("is visible to every read that begins after its answer", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        for (let at = 0; at < 30; at++) {
          const { data } = await member.create(memory(`visible ${at}`));
          const [listed, [found]] = await Promise.all([
            member.list({ limit: 1 }),
            member.search({ vector: unitVector(`visible ${at}`.length), words: `visible ${at}`, topK: 1 }),
          ]);
          expect([listed.memories[0]?.id, listed.total]).toEqual([String(data.id), at + 1]);
          expect(found?.memory.id).toBe(String(data.id));
        }
      }));

    test("that is refused later in the same transaction undoes only itself", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 2 });
        const calls = ["one", "one", "two", "three"].map((content) => () => member.create(memory(content)));
        expect(
          await together(
            ...calls,
            () => member.call("memory.delete_all", {}),
            () => member.create(memory("three")),
          ),
        ).toEqual([1000, 2104, 1000, 2101, 1000, 1000]);
        expect(await contentsOf(member)).toEqual(["three"]);
        expect(await verifyRecords(seam, member)).toHaveLength(6);
      }));

    test("that breaks after it changed something leaves its record alone, and tells nothing of the engine", () =>
      withNewSeam(
        { ...subject },
        async (seam) => {
          const member = await seam.project();
          await member.create(memory("sound"));
          for (const vector of [
            new Float32Array(dimensions - 1),
            new Float32Array(0),
            new Float32Array(dimensions).fill(Number.NaN),
            new Float32Array(dimensions).fill(1),
          ]) {
            const prepared = { vector, contentKey: contentKey("broken") };
            const input = { content: "broken", memory_type: "fact" };
            const outcome = await member.call("memory.create", input, prepared);
            expect(outcome.code).toBe(1500);
            expect(outcome.message).not.toMatch(/vec|SQL|vector/i);
          }
          expect(await contentsOf(member)).toEqual(["sound"]);
          expect(await member.search({ vector: unitVector(5), words: "broken" })).toHaveLength(1);
          expect((await member.create(memory("broken"))).code).toBe(1000);
          expect(await verifyRecords(seam, member)).toHaveLength(6);
        },
        { logger: { debug() {}, info() {}, warn() {}, error() {} } },
      ));

    test("that is a dry run changes nothing, and answers what it would have done", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project({ memory_limit: 1 });
        await member.create(memory("kept"));
        await member.call("memory.delete_all", {});
        const [content, vector] = ["rehearsed", unitVector(3)];
        const item = { content, vector, type: "fact", importance: 0.5, expiresAt: null, evidence: content };
        const candidate = {
          ...item,
          contentKey: contentKey(content),
          found: [],
          similarItems: null,
          nearMatches: [],
        };
        const prepared = {
          candidates: [candidate],
          revision: null,
          cost: free,
          extractor: "built-in",
          model: null,
          usage: null,
          input: { text: content },
          redacted: [],
          leftOut: [],
          said: [],
        };
        const dryRun = await member.call("memory.extract", { text: content, dry_run: true }, prepared);
        expect(dryRun.data).toMatchObject({ extracted: [{ content, action: "created" }] });
        expect(await member.search({ vector, words: content })).toEqual([]);
        expect((await member.list()).total).toBe(0);
        // Neither the limit nor the content was used up.
        const run = await member.call("memory.extract", { text: content }, prepared);
        expect(run.data).toMatchObject({ extracted: [{ content, action: "created" }] });
        expect(await contentsOf(member)).toEqual([content]);
        await verifyRecords(seam, member);
      }));

    test("of many callers at once is done as if each came alone", () =>
      withSeam(subject, async (seam) => {
        const one = await seam.project({ memory_limit: 25 });
        const two = await openMember(seam, one.id);
        const other = await seam.project();
        const calls = Array.from({ length: 60 }, (_, at) => {
          const member = [one, two, other][at % 3] ?? one;
          return member.create(memory(`${at % 2 === 0 ? "same" : "own"} ${at % 2 === 0 ? at % 20 : at}`));
        });
        const outcomes = await Promise.all(calls);
        const created = outcomes.filter(({ code }, at) => code === 1000 && at % 3 !== 2).length;
        expect((await one.list()).total).toBe(created);
        expect(created).toBeLessThanOrEqual(25);
        const contents = await contentsOf(one);
        expect(new Set(contents).size).toBe(contents.length);
        expect(await verifyRecords(seam, one)).toHaveLength(40);
        expect(await verifyRecords(seam, other)).toHaveLength(20);
      }));

    test("that changes what another one changes meanwhile loses neither", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("shared"));
        const memory_id = String(data.id);
        const changes = Array.from({ length: 20 }, (_, at) => [
          member.call("memory.update", { memory_id, importance: (at + 1) / 20 }),
          member.call("memory.update", { memory_id, memory_type: at % 2 === 0 ? "rule" : "context" }),
        ]).flat();
        await Promise.all(changes);
        const [left] = (await member.list()).memories;
        expect(left).toMatchObject({ content: "shared", importance: 1, type: "context", active: true });
      }));
  });
}
