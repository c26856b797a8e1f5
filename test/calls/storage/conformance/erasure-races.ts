// What every engine promises about calls that meet an erasure: no record that is appended after it holds a text that was read before it.

import { describe, expect, test } from "bun:test";
import { eraseRecords } from "../../../../src/calls/operations/ledger/erase-records.ts";
import { testWith } from "../../../needs.ts";
import { administrationOf, type Member, openSeam, type Seam, unitVector } from "../seam.ts";
import { createPlace, type EngineUnderTest, withSeam } from "./engine-under-test.ts";
import { findText, readEntries } from "./records.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

/** A search as its first half hands it over: it has found this text, and then read nothing more. */
function preparedSearch(member: Member, erasures: string, content: string) {
  const data = { results: [{ memory: { content } }], query: "text", total: 1 };
  return {
    operation: "memory.search",
    keyId: member.caller.key.id,
    project: member.caller.project.id,
    bodyText: JSON.stringify({ query: "text" }),
    decision: {
      refused: null,
      parameters: {},
      prepared: { precomputed: { data }, prepared: null },
      erasures,
    },
  };
}

const erase = async (seam: Seam, input: { memory: string; delete_memory?: boolean }) =>
  seam.administer("audit.redact", input, await eraseRecords.prepare?.(input, administrationOf(seam.store)));

export function testErasureRaces(subject: EngineUnderTest): void {
  describe("a call that was prepared before an erasure", () => {
    test("does not happen and has no record, also in the transaction of the erasure", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("Ada lives at 16 Example Lane"));
        const before = await seam.store.audit.erasures(member.id);
        const search = () => seam.commit(preparedSearch(member, before, "Ada lives at 16 Example Lane"));
        const input = { memory: String(data.id), delete_memory: true };
        const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
        // Sent in one turn, so that an engine can settle both in one transaction.
        const both = [seam.administer("audit.redact", input, prepared), search()] as const;
        const [erased, outdated] = await Promise.all(both);
        expect([erased.code, outdated.code]).toEqual([1000, 1503]);
        expect((await search()).code).toBe(1503);
        expect(await findText(seam, member, "Example Lane")).toEqual([]);
        const actions = (await readEntries(seam, member)).map(({ action }) => action);
        expect(actions).toEqual(["memory.create", "memory.delete", "audit.redact"]);
        const now = await seam.store.audit.erasures(member.id);
        expect((await seam.commit(preparedSearch(member, now, "something else"))).code).toBe(1000);
      }));

    test("and settled before it has a record, which is erased too", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("Ada lives at 16 Example Lane"));
        const input = { memory: String(data.id) };
        const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
        const before = await seam.store.audit.erasures(member.id);
        const search = preparedSearch(member, before, `Ada lives at ${input.memory}`);
        expect((await seam.commit(search)).code).toBe(1000);
        const erased = await seam.administer("audit.redact", input, prepared);
        expect(erased.data).toMatchObject({ redacted: 2 });
        expect(await findText(seam, member, "Ada lives")).toEqual([]);
      }));
  });

  describe("the number of erasures", () => {
    test("is another one after each erasure, also after one that found nothing, and after no other call", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("first"));
        await member.create(memory("second"));
        const numbers = [await seam.store.audit.erasures(member.id)];
        await member.call("memory.delete_all", {});
        await seam.administer("key.create", { project: member.id, permissions: ["memory.read"] });
        expect(await seam.store.audit.erasures(member.id)).toBe(numbers[0] ?? "");
        for (const code of [1000, 2204, 2204]) {
          expect((await erase(seam, { memory: String(data.id) })).code).toBe(code);
          numbers.push(await seam.store.audit.erasures(member.id));
        }
        expect(new Set(numbers).size).toBe(4);
      }));

    test("is the same for the next store of the database", async () => {
      using place = createPlace();
      const engine = subject.open(place.folder);
      const first = await openSeam({ engine, ledger: place.ledger });
      const member = await first.project();
      const { data } = await member.create(memory("Ada lives at 16 Example Lane"));
      const before = await first.store.audit.erasures(member.id);
      expect((await erase(first, { memory: String(data.id), delete_memory: true })).code).toBe(1000);
      const after = await first.store.audit.erasures(member.id);
      await first.close();
      const next = await openSeam({ engine: subject.open(place.folder), ledger: place.ledger });
      expect(await next.store.audit.erasures(member.id)).toBe(after);
      const search = (erasures: string) => next.commit(preparedSearch(member, erasures, "Ada lives"));
      expect([(await search(before)).code, (await search(after)).code]).toEqual([1503, 1000]);
      await next.close();
    });

    testWith(subject.lacks["several servers"] ?? null)(
      "is the same for two stores of one database",
      async () => {
        using place = createPlace();
        const [one, two] = await Promise.all(
          [1, 2].map(() => openSeam({ engine: subject.open(place.folder), ledger: place.ledger })),
        );
        if (one === undefined || two === undefined) throw new Error("there are not two stores");
        const member = await one.project();
        const { data } = await member.create(memory("Ada lives at 16 Example Lane"));
        const before = await two.store.audit.erasures(member.id);
        expect((await two.commit(preparedSearch(member, before, "a result"))).code).toBe(1000);
        expect((await erase(one, { memory: String(data.id), delete_memory: true })).code).toBe(1000);
        expect((await two.commit(preparedSearch(member, before, "Ada lives"))).code).toBe(1503);
        expect(await two.store.audit.erasures(member.id)).toBe(await one.store.audit.erasures(member.id));
        await one.close();
        await two.close();
      },
    );
  });
}
