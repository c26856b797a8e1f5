// Owns the SQL of what was said next to a passage. A conversation has its passages in the order in which they were stored, which is that in
// which they were said, so a neighbour is found without reading the others.

import type { NeighbourQuery, Neighbours } from "../../calls/storage/conversation-store.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Owner } from "../../memory/owner.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { type MemoryRow, memoryColumns, toMemory } from "./memories/memory-row.ts";
import { ownerSetsOf } from "./project-serials.ts";

export function createNeighbours(
  database: Database,
): (owner: Owner, query: NeighbourQuery) => readonly Neighbours[] {
  const serialsOf = ownerSetsOf(database);
  const next = (comparison: "<" | ">", direction: "DESC" | "ASC") =>
    database.prepare<[{ id: string; owners: string; now: number }], MemoryRow>(
      `SELECT ${memoryColumns} FROM memory m WHERE m.serial = (
         SELECT r.memory FROM memory p JOIN conversation c ON c.project = p.project AND c.name = p.origins ->> '$[0].conversation'
         JOIN memory_conversation r ON r.conversation = c.serial AND r.memory_type = p.memory_type AND r.epoch = p.epoch
         WHERE p.id = :id AND p.memory_type = 'passage' AND p.project IN (SELECT value FROM json_each(:owners))
           AND r.memory ${comparison} p.serial ORDER BY r.memory ${direction} LIMIT 1
       ) AND m.is_active = 1 AND (m.expires_at IS NULL OR m.expires_at > :now)`,
    );
  const before = next("<", "DESC");
  const after = next(">", "ASC");
  return database.transaction((owner: Owner, { passages, withProject, now }: NeighbourQuery) => {
    const owners = JSON.stringify(serialsOf(owner, withProject));
    const read = (statement: typeof before, id: string): Memory | null => {
      const row = statement.get({ id, owners, now });
      return row === undefined ? null : toMemory(row);
    };
    return passages.map((id) => ({ before: read(before, id), after: read(after, id) }));
  });
}
