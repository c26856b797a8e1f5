// Owns all SQL that removes memories, except the purge (purge.ts).

import type { MemoryTransaction } from "../../../calls/storage/memory-store.ts";
import { type Kind, kinds } from "../../../memory/kind.ts";
import { toSearched } from "../../../memory/memory.ts";
import type { Owner } from "../../../memory/owner.ts";
import { aliveJoin, type MemoryRow, ofKinds, toKindsParameter } from "./memory-row.ts";
import type { MemoryTable } from "./memory-table.ts";
import { selectedMemories } from "./selected-memories.ts";

type Removals = "remove" | "removeOldestPassages" | "removeAll" | "removeAllOf" | "removeSelected";

export function createMemoryRemoval({
  database,
  state,
  revisions,
  sql,
  serialOf,
  findRow,
  addToPool,
}: MemoryTable): Pick<MemoryTransaction, Removals> {
  const removeRow = (owner: Owner, row: MemoryRow, now: number): void => {
    state.changeWords("remove", serialOf(owner), row.content_revision, toSearched(row));
    sql.removeVector.run(row.serial);
    sql.removeNextVector.run(row.serial);
    sql.remove.run(row.serial);
    sql.insertRemoval.run(serialOf(owner), revisions.next(serialOf(owner)), row.serial, now);
    addToPool(owner, row.memory_type, -1);
  };
  return {
    async remove(owner, id, now) {
      const row = findRow(owner, id);
      if (row !== undefined) removeRow(owner, row, now);
      return row !== undefined;
    },

    async removeOldestPassages({ id: project }, count, now) {
      for (const { subject_id: subject, ...row } of sql.oldestPassages.all(project, count))
        removeRow({ project, subject }, row, now);
    },

    async removeAll(owner, wanted) {
      let removed = 0;
      for (const each of wanted ?? kinds) {
        const count = sql.poolCount.get(serialOf(owner), each) ?? 0;
        if (count === 0) continue;
        sql.markForPurge.run(serialOf(owner), each);
        addToPool(owner, each, -count);
        sql.nextEpoch.run(revisions.next(serialOf(owner)), serialOf(owner), each);
        removed += count;
      }
      return removed;
    },

    async removeAllOf({ id }) {
      const removed = (sql.memories.get(id) ?? 0) + (sql.passages.get(id) ?? 0);
      sql.markForPurgeAll.run(id);
      sql.nextEpochs.run(id);
      sql.forgetSubjectMemories.run(id);
      return removed;
    },

    async removeSelected(owner, wanted, by, now) {
      const serial = serialOf(owner);
      const selected = selectedMemories(by);
      const found = database
        .prepare<[Record<string, unknown>], { serial: number; memory_type: Kind }>(
          `SELECT m.serial, m.memory_type FROM memory m ${aliveJoin}
           WHERE ${selected === null ? "m.project = :project" : `m.serial IN (${selected.sql})`} AND ${ofKinds("m")}`,
        )
        .all({ ...selected?.parameters, project: serial, kinds: toKindsParameter(wanted) });
      for (const [each, rows] of Map.groupBy(found, (row) => row.memory_type)) {
        // They leave their pool for a dead one, without their tags and metadata, so that nothing shows them and the purge deletes them.
        const epoch = revisions.next(serial);
        sql.markForPurgeEpoch.run(serial, each, epoch);
        for (const row of rows) {
          sql.moveToEpoch.run(epoch, row.serial);
          sql.insertRemoval.run(serial, revisions.next(serial), row.serial, now);
        }
        addToPool(owner, each, -rows.length);
      }
      return found.length;
    },
  };
}
