// What every engine promises about time and identifiers: both may be compared, whatever the clock does.

import { describe, expect, test } from "bun:test";
import { unitVector } from "../seam.ts";
import { type EngineUnderTest, withNewSeam, withSeam } from "./engine-under-test.ts";
import { readEntries, verifyRecords } from "./records.ts";

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

export function testOrder(subject: EngineUnderTest): void {
  describe("order", () => {
    test("identifiers grow with creation", () =>
      withSeam(subject, async (seam) => {
        const [one, two] = [await seam.project(), await seam.project()];
        const ids: string[] = [];
        for (let at = 0; at < 20; at++) {
          const member = at % 2 === 0 ? one : two;
          ids.push(String((await member.create(memory(`in order ${at}`))).data.id));
        }
        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(20);
      }));

    test("a clock that jumps backwards breaks neither identifiers nor chains", () =>
      withNewSeam(
        subject,
        async (seam) => {
          const member = await seam.project();
          const first = await member.create(memory("before"));
          seam.passTime(-86_400_000);
          const second = await member.create(memory("after"));
          expect(String(second.data.id) > String(first.data.id)).toBe(true);
          const times = [first, second].map(({ data }) => Date.parse(String(data.created_at)));
          expect(times[1]).toBeLessThan(times[0] ?? 0);
          seam.passTime(86_400_000);
          expect((await member.call("memory.read", { memory_id: String(first.data.id) })).code).toBe(1000);
          await verifyRecords(seam, member);
          const entries = (await readEntries(seam, member)).map(({ at }) => at);
          expect(entries.toSorted()).toEqual(entries);
        },
        // It warns about the clock.
        { logger: { debug() {}, info() {}, warn() {}, error() {} } },
      ));
  });
}
