// What every engine that has retention promises: old records go, the newest one stays, and the chain goes on from where it was cut.

import { expect, test } from "bun:test";
import { describeWith } from "../../../needs.ts";
import { unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";
import { listRecords, verifyRecords } from "./records.ts";

const dayMs = 86_400_000;
const memory = (content: string) => ({ content, vector: unitVector(content.length) });

export function testRetention(subject: EngineUnderTest): void {
  test("what a shorter retention would remove is counted without removing it", () =>
    withSeam(subject, async (seam) => {
      const member = await seam.project();
      for (const content of ["one", "two", "three"]) await member.create(memory(content));
      seam.passTime(2 * dayMs);
      const preview = () =>
        seam.administer("project.preview_retention", { project: member.id, retention_days: 1 });
      // Never the newest record.
      expect((await preview()).data).toMatchObject({ records: 2, is_shorter: true });
      await member.create(memory("four"));
      expect((await preview()).data).toMatchObject({ records: 3 });
      expect((await listRecords(seam, member)).total).toBe(4);
    }));

  describeWith(subject.lacks.retention ?? null)("retention", () => {
    test("removes what is too old, says so, and the chain goes on", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project({ retention_days: 1 }), await seam.project()];
        for (const content of ["one", "two", "three"]) {
          await member.create(memory(content));
          await other.create(memory(content));
        }
        const before = await verifyRecords(seam, member);
        seam.passTime(2 * dayMs);
        await member.create(memory("four"));
        const swept = await seam.store.retention.run();
        const own = swept.filter(({ project }) => project === member.id);
        expect(own).toMatchObject([{ records: 3, anchoredThrough: 3, skipped: null }]);
        expect(swept.filter(({ project }) => project === other.id)).toEqual([]);
        await member.create(memory("five"));
        const records = await verifyRecords(seam, member, { after: before[2] ?? null });
        expect(records.map(({ seq }) => seq)).toEqual([4, 5, 6]);
        expect((await listRecords(seam, member, { action: "audit.prune" })).total).toBe(1);
        expect((await listRecords(seam, other)).total).toBe(3);
        expect((await seam.store.retention.run()).filter(({ project }) => project === member.id)).toEqual([]);
      }));
  });
}
