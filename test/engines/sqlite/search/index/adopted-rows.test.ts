// Proves that an index which adopts whole blocks is the one that gets their rows one by one, also when a memory is in several blocks, and
// when serials lie far apart.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { BlockBuffers } from "../../../../../src/engines/sqlite/search/index/block-buffers.ts";
import type { ChangedRow } from "../../../../../src/engines/sqlite/search/index/index-statements.ts";
import { IndexedRows } from "../../../../../src/engines/sqlite/search/index/indexed-rows.ts";
import { writeValues, writeVector } from "../../../../../src/engines/sqlite/search/index/row-writing.ts";
import { memoryTypes } from "../../../../../src/memory/memory.ts";
import { eligibleIn } from "./eligible-slots.ts";

const dimensions = 8;
const embedding = new Uint8Array(Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0]).buffer);
const tagTexts = ['["a"]', '["b"]', '["a","b"]'];

const serials = fc.constantFrom(1, 2, 3, 4, 33, 64, 65, 1_000_000, 9_000_000_000);
const row = fc.record({
  serial: serials,
  memory_type: fc.constantFrom(...memoryTypes),
  is_active: fc.constantFrom(0 as const, 1 as const),
  expires_at: fc.option(fc.integer({ min: 1, max: 20 })),
  tags: fc.option(fc.constantFrom(...tagTexts)),
});
/** No memory is twice in one block. */
const blocks = fc.array(fc.uniqueArray(row, { selector: ({ serial }) => serial, maxLength: 60 }), {
  maxLength: 4,
});

const filters = [
  { types: null, tags: null, includeExpired: false, includeInactive: false },
  { types: ["fact"], tags: null, includeExpired: true, includeInactive: true },
  { types: null, tags: { tags: ["a"], match: "any" }, includeExpired: false, includeInactive: true },
  {
    types: ["rule", "context"],
    tags: { tags: ["a", "b"], match: "all" },
    includeExpired: true,
    includeInactive: false,
  },
] as const;

function newRows(): IndexedRows {
  return new IndexedRows(dimensions, new BlockBuffers(() => undefined));
}

/** What searches find: the serials for each filter at each time. */
function found(rows: IndexedRows): number[][] {
  return filters.flatMap((filter) =>
    [0, 10, 20].map((now) => {
      const bits = eligibleIn(rows, { ...filter, now });
      rows.endGroup();
      const slots = [...new Array(rows.slots.end).keys()];
      return slots
        .filter((slot) => ((bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1)
        .map((slot) => rows.slots.serialAt(slot))
        .sort((a, b) => a - b);
    }),
  );
}

test("adopting blocks gives the index that their rows give", () => {
  const property = fc.property(blocks, fc.boolean(), serials, (contents, hasBefore, dropped) => {
    const [adopting, putting] = [newRows(), newRows()];
    let revision = 0;
    const toRow = (each: Omit<ChangedRow, "revision" | "content_revision" | "importance" | "embedding">) => {
      revision += 1;
      return { ...each, revision, content_revision: revision, importance: 0.5, embedding };
    };
    if (hasBefore) {
      const before = toRow({ serial: 3, memory_type: "fact", is_active: 1, expires_at: null, tags: '["b"]' });
      adopting.put(before);
      putting.put(before);
    }
    const written = contents.map((content) => {
      const block = adopting.slots.takeBlock(64);
      for (const [at, each] of content.entries()) {
        const changed = toRow(each);
        writeVector(block, at, changed);
        writeValues(block, at, changed, each.tags === null ? 0 : tagTexts.indexOf(each.tags) + 1);
        putting.put(changed);
      }
      return block;
    });
    adopting.reserve(64 * written.length, written);
    for (const block of written) adopting.adopt(block, [{ firstRow: 0, rows: block.capacity, tagTexts }]);
    expect(found(adopting)).toEqual(found(putting));
    expect(adopting.slots.count).toBe(putting.slots.count);
    for (const rows of [adopting, putting]) rows.drop(dropped);
    expect(found(adopting)).toEqual(found(putting));
    expect([...adopting.tagSets.entries()].map(([, text]) => text).sort()).toEqual(
      [...putting.tagSets.entries()].map(([, text]) => text).sort(),
    );
  });
  fc.assert(property, { numRuns: 300 });
});
