// A page is the same whichever way the engine reads it: in the order of the list, from the memories of a filter, or first one, then the other.

import { expect, test } from "bun:test";
import { openReading } from "../../../src/engines/sqlite/database-file/connection.ts";
import type { ListLimits } from "../../../src/engines/sqlite/memories/limits.ts";
import { createMemoryList } from "../../../src/engines/sqlite/memories/memory-list.ts";
import type { ListFilter } from "../../../src/memory/search/list-query.ts";
import { toMetadataFilter } from "../../../src/memory/search/metadata-filter.ts";
import { toWordFilter } from "../../../src/memory/search/word-filter.ts";
import { listOrders, readPages } from "../../calls/storage/conformance/memory-pages.ts";
import { openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";

const ways: Readonly<Record<string, ListLimits>> = {
  "in the order of the list": {
    sortedCost: Number.POSITIVE_INFINITY,
    walkFactor: Number.POSITIVE_INFINITY,
    walkMin: 0,
  },
  "from the memories of a filter": { sortedCost: 0, walkFactor: 0, walkMin: 0 },
  "in the order, then from a filter": { sortedCost: Number.POSITIVE_INFINITY, walkFactor: 0, walkMin: 5 },
};

const everything: ListFilter = { type: null, tags: null, active: null, expired: null, words: null };
const filters: readonly Partial<ListFilter>[] = [
  {},
  { type: "rule" },
  { active: false },
  { expired: true, type: "fact" },
  { tags: { tags: ["a", "b"], match: "all" }, expired: false },
  { tags: { tags: ["a", "b"], match: "any" } },
  { metadata: toMetadataFilter({ third: true }) },
  { metadata: toMetadataFilter({ at: { gt: 20, lte: 120 }, third: { exists: false } }), active: true },
  { metadata: toMetadataFilter({ third: { exists: false } }), expired: false, type: "fact" },
  { words: toWordFilter("even th"), metadata: toMetadataFilter({ kind: { in: ["k1", "k2", 3] } }) },
  { words: toWordFilter("even th") },
  { words: toWordFilter("third"), active: true, tags: { tags: ["a"], match: "all" } },
];

test("every way to read a page gives the same memories", async () => {
  const seam = await openSeam();
  try {
    const member = await seam.project();
    const now = Date.now();
    for (let at = 0; at < 200; at++) {
      const content = `${at % 2 === 0 ? "even" : "odd"} ${at % 3 === 0 ? "third" : ""} ${at}`;
      const { data } = await member.create({
        content,
        vector: unitVector(at),
        type: at % 7 === 0 ? "rule" : "fact",
        // More of one importance than are kept until all are read.
        importance: at < 150 ? 0.5 : (at % 5) / 10,
        expiresAt: at % 11 === 0 ? now - 1000 : at % 4 === 0 ? now + (1 + (at % 3)) * 60_000 : null,
        metadata: at % 5 === 0 ? null : { at, kind: `k${at % 4}`, ...(at % 3 === 0 ? { third: true } : {}) },
        tags: [...(at % 4 === 0 ? ["a"] : []), ...(at % 6 === 0 ? ["b"] : [])],
      });
      if (at % 13 === 0) await member.call("memory.update", { memory_id: String(data.id), is_active: false });
      if (at % 3 === 0) continue;
      if (at % 2 === 0) seam.passTime(10);
      await (await member.prepareRead(String(data.id)))();
    }
    await seam.letHousekeepingRun();
    // Hidden until they are purged, and their rows are between the others.
    for (let at = 0; at < 20; at++) {
      await member.create({ content: `even third hidden ${at}`, vector: unitVector(at), type: "context" });
    }
    await member.call("memory.delete_all", { memory_type: "context" });
    const database = openReading({ path: seam.path, runtime });
    const { owner } = member.caller;
    for (const filter of filters) {
      for (const order of listOrders) {
        const query = { ...everything, ...filter, ...order, now, limit: 100, after: { skip: 0 } };
        const whole = await readPages((page) => member.list(page), query);
        expect(whole.length).toBeGreaterThan(3);
        for (const [way, limits] of Object.entries(ways)) {
          const list = createMemoryList(database, limits);
          const pages = await readPages(
            async (page) => {
              const found = list(owner, { ...query, ...page });
              if (found === null) throw new Error("the cursor is not one of this list");
              expect(found.total).toBe(whole.length);
              return found;
            },
            { ...query, limit: 7 },
          );
          expect([way, pages.map(({ id }) => id)]).toEqual([way, whole.map(({ id }) => id)]);
        }
      }
    }
    database.close();
  } finally {
    await seam.close();
  }
  expect(seam.complaints).toEqual([]);
});
