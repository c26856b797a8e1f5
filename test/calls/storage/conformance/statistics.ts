// What every engine promises about the numbers of memories and records.

import { describe, expect, test } from "bun:test";
import { neverAborted, unitVector } from "../seam.ts";
import { type EngineUnderTest, withNewSeam, withSeam } from "./engine-under-test.ts";

const hourMs = 3_600_000;

export function testStatistics(subject: EngineUnderTest): void {
  describe("statistics", () => {
    test("count the memories of a project by type and by state", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const read = () => seam.store.memories.statistics(member.caller.owner, Date.now(), neverAborted);
        const none = {
          byType: { rule: 0, fact: 0, context: 0 },
          ...{ passages: 0, searchable: 0, inactive: 0, expired: 0 },
        };
        expect(await read()).toEqual({ ...none, contentBytes: 0, isEstimate: false, changedAt: null });
        await other.create({ content: "of another project", vector: unitVector(1) });
        const ids: string[] = [];
        for (const [at, type] of (["rule", "fact", "fact", "context", "context"] as const).entries()) {
          const expiresAt = at < 2 ? null : Date.now() + (at === 3 ? -hourMs : hourMs);
          const { data } = await member.create({
            content: `\u00fc${at}`,
            vector: unitVector(at),
            type,
            expiresAt,
          });
          ids.push(String(data.id));
        }
        for (const id of [ids[1], ids[3]])
          await member.call("memory.update", { memory_id: id ?? "", is_active: false });
        const { changedAt, ...counts } = await read();
        expect(counts).toEqual({
          byType: { rule: 1, fact: 2, context: 2 },
          passages: 0,
          searchable: 3,
          inactive: 2,
          expired: 1,
          contentBytes: 15,
          isEstimate: false,
        });
        expect(changedAt).toBe(
          (await member.list({ sortBy: "updated_at", limit: 1 })).memories[0]?.updatedAt ?? null,
        );
        await member.call("memory.delete_all", { memory_type: "context" });
        expect(await read()).toMatchObject({
          byType: { rule: 1, fact: 2, context: 0 },
          searchable: 2,
          inactive: 1,
          expired: 0,
          contentBytes: 9,
        });
      }));

    test("of a chain are those of its list", () =>
      withNewSeam(subject, async (seam) => {
        const member = await seam.project();
        const read = (from: number | null) =>
          seam.store.audit.statistics(member.caller.project, from, neverAborted);
        const empty = { records: 0, firstAt: null, lastAt: null, headSeq: 0, headHash: null, bytes: 0 };
        expect(await read(null)).toEqual(empty);
        for (let at = 0; at < 3; at++) await member.create({ content: `m${at}`, vector: unitVector(at) });
        const found = await read(null);
        expect(found).toMatchObject({ records: 3, headSeq: 3 });
        expect(found.headHash).toMatch(/^[0-9a-f]{64}$/);
        expect(found.bytes).toBeGreaterThan(300);
        expect(found.firstAt).toBeLessThanOrEqual(found.lastAt ?? 0);
        const later = { records: 0, firstAt: null, lastAt: found.lastAt, headSeq: 3, bytes: 0 };
        expect(await read(Date.now() + hourMs)).toMatchObject(later);
      }));
  });
}
