// What every engine promises about an erasure: payloads are gone for every reader, and the chain says so and still verifies.

import { describe, expect, test } from "bun:test";
import { eraseRecords } from "../../../../src/calls/operations/ledger/erase-records.ts";
import { administrationOf, neverAborted, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";
import { findText, listRecords, readEntries, verifyRecords } from "./records.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

export function testErasure(subject: EngineUnderTest): void {
  describe("an erasure", () => {
    test("takes the payload of every record that holds a memory, of those too that were appended meanwhile", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const { data } = await member.create(memory("Ada lives at 16 Example Lane"));
        await member.create(memory("something else"));
        const input = { memory: String(data.id), delete_memory: true };
        const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
        await member.call("memory.read", { memory_id: input.memory });
        const erased = await seam.administer("audit.redact", input, prepared);
        expect(erased.data).toMatchObject({ redacted: 2, memory: "deleted", exports: [] });
        const records = await verifyRecords(seam, member);
        expect(records.map(({ erased, removal }) => [erased, removal])).toEqual([
          [["/request_body", "/response_body/data/content"], null],
          [[], null],
          [["/request_body", "/response_body/data/content"], null],
          [[], null],
          [[], null],
        ]);
        const { redacted, redacted_parts } = JSON.parse(records.at(-1)?.payload ?? "{}");
        expect([redacted, redacted_parts]).toEqual([
          [],
          [
            [1, [1, 2]],
            [3, [1, 2]],
          ],
        ]);
        expect(erased.data.parts).toBe(4);
        expect(
          (await seam.store.audit.place(String(records[0] && JSON.parse(records[0].entry).id)))?.isWhole,
        ).toBe(false);
        const actions = (await readEntries(seam, member)).map(({ action }) => action);
        expect(actions.slice(3)).toEqual(["memory.delete", "audit.redact"]);
        expect((await member.call("memory.read", { memory_id: input.memory })).code).toBe(2100);
        expect(await findText(seam, member, "Example Lane")).toEqual([]);
        expect(await findText(seam, member, "Something, else!")).toHaveLength(1);
        const again = async () =>
          seam.administer(
            "audit.redact",
            input,
            await eraseRecords.prepare?.(input, administrationOf(seam.store)),
          );
        // Since then, a call has named the memory.
        expect((await again()).data).toMatchObject({ redacted: 1, parts: 1 });
        expect((await again()).code).toBe(2204);
      }));

    test("of one record leaves the others, and is refused when there is nothing to erase", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        await member.create(memory("first"));
        await member.create(memory("second"));
        const [entry] = await readEntries(seam, member);
        const input = { record: entry?.id ?? "" };
        const redact = async () =>
          seam.administer(
            "audit.redact",
            input,
            await eraseRecords.prepare?.(input, administrationOf(seam.store)),
          );
        expect((await redact()).data).toMatchObject({ redacted: 1, records: [input.record], memory: null });
        expect((await redact()).data).toMatchObject({ redacted: 0 });
        const [first, second] = await verifyRecords(seam, member);
        expect([first?.removal, second?.removal]).toEqual(["redacted", null]);
        const found = await seam.store.audit.find(member.caller.project, input.record, neverAborted);
        expect(found).toMatchObject({ seq: 1, payload: null, salt: null });
        expect((await listRecords(seam, member, { action: "audit.redact" })).total).toBe(1);
        expect((await seam.store.audit.place(input.record))?.isWhole).toBe(false);
      }));
  });
}
