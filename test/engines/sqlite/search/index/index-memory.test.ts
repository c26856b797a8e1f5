// Holds the memory of a search index to what is promised for each memory, at every size.

import { expect, test } from "bun:test";
import { BlockBuffers } from "../../../../../src/engines/sqlite/search/index/block-buffers.ts";
import { IndexedRows } from "../../../../../src/engines/sqlite/search/index/indexed-rows.ts";
import { bytesPerMemory } from "../../../../../src/engines/sqlite/search/index/search-index.ts";
import { rowsPerBlock } from "../../../../../src/memory/ranking/limits.ts";
import { bytesPerRow } from "../../../../../src/memory/ranking/scan/row-block.ts";

const dimensions = 8;

test("a memory without tags needs at most 64 bytes beside its codes, and the unused part of one block", () => {
  const rows = new IndexedRows(dimensions, new BlockBuffers(() => undefined));
  const embedding = new Uint8Array(Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0]).buffer);
  const common = {
    memory_type: "fact",
    importance: 0.5,
    is_active: 1,
    expires_at: null,
    tags: null,
  } as const;
  for (let serial = 1; serial <= 60_000; serial++) {
    rows.put({ ...common, serial, revision: serial, content_revision: serial, embedding });
    if (serial % 100 > 0) continue;
    const unused = Math.min(rowsPerBlock, serial) * bytesPerRow(dimensions) + 1_024;
    expect(rows.byteLength).toBeLessThanOrEqual(serial * (dimensions + bytesPerMemory) + unused);
  }
  expect(bytesPerMemory).toBeLessThanOrEqual(64);
});
