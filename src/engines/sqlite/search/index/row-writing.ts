// Owns how a memory is written to a row of a search index.

import { kinds } from "../../../../memory/kind.ts";
import { quantiseRow } from "../../../../memory/ranking/quantisation.ts";
import { type RowBlock, rowState, setRowValues } from "../../../../memory/ranking/scan/row-block.ts";
import { toVector } from "../../memories/memory-row.ts";
import type { ChangedRow } from "./index-statements.ts";

/** @throws RangeError when the vector does not fit; nothing is written then */
export function writeVector(block: RowBlock, row: number, { embedding }: ChangedRow): void {
  quantiseRow(toVector(embedding), block, row);
}

/** Everything but the vector. */
export function writeValues(block: RowBlock, row: number, memory: ChangedRow, tagSet: number): void {
  setRowValues(block, row, {
    serial: memory.serial,
    contentRevision: memory.content_revision,
    importance: memory.importance,
    expiresAt: memory.expires_at ?? Number.POSITIVE_INFINITY,
    tagSet,
    state: rowState(kinds.indexOf(memory.memory_type), memory.is_active === 1),
  });
}
