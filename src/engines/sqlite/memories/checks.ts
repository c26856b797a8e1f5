// Owns the SQL of checks.

import type { CheckTransaction } from "../../../calls/storage/check-store.ts";
import type { Owner } from "../../../memory/owner.ts";
import type { Check, CheckedSearch } from "../../../memory/search/check.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf, ownersOfProject } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";

interface CheckRow {
  id: string;
  /** CheckedSearch as JSON. */
  search: string;
  memory: string;
  within: number;
  created_at: number;
}

const checkColumns = "id, search, memory, within, created_at";

/** All checks of an owner, oldest first. */
export function createCheckList(database: Database): (owner: Owner) => readonly Check[] {
  const serialOf = ownerSerialsOf(database);
  const all = database.prepare<[number], CheckRow>(
    `SELECT ${checkColumns} FROM memory_check WHERE project = ? ORDER BY id`,
  );
  return (owner) => all.all(serialOf(owner)).map(toCheck);
}

export function createCheckTransaction(
  database: Database,
  { createId }: Pick<WriterState, "createId">,
): CheckTransaction {
  const serialOf = ownerSerialsOf(database);
  const list = createCheckList(database);
  const ofProject = database.prepare<[string], CheckRow>(
    `SELECT ${checkColumns} FROM memory_check WHERE project IN (${ownersOfProject}) ORDER BY id`,
  );
  const count = database
    .prepare<[number], number>("SELECT COUNT(*) FROM memory_check WHERE project = ?")
    .pluck();
  const insert = database.prepare(
    `INSERT INTO memory_check (id, project, search, memory, within, created_at)
     VALUES (:id, :project, :search, :memory, :within, :createdAt)`,
  );
  const remove = database.prepare("DELETE FROM memory_check WHERE id = ? AND project = ?");
  const removeById = database.prepare("DELETE FROM memory_check WHERE id = ?");
  const removeExpecting = database.prepare("DELETE FROM memory_check WHERE memory = ?");
  const removeAll = database.prepare(`DELETE FROM memory_check WHERE project IN (${ownersOfProject})`);
  return {
    list: async (owner) => list(owner),
    count: async (owner) => count.get(serialOf(owner)) ?? 0,
    async insert(owner, check) {
      const id = createId(check.createdAt);
      const { search, memoryId: memory, within, createdAt } = check;
      const row = {
        id,
        project: serialOf(owner),
        search: JSON.stringify(search),
        memory,
        within,
        createdAt,
      };
      insert.run(row);
      return { id, ...check };
    },
    listAll: async ({ id }) => ofProject.all(id).map(toCheck),
    removeById: async (id) => removeById.run(id).changes,
    remove: async (owner, id) => remove.run(id, serialOf(owner)).changes > 0,
    removeExpecting: async (memoryId) => removeExpecting.run(memoryId).changes,
    async removeAll(project) {
      removeAll.run(project.id);
    },
  };
}

function toCheck({ id, search, memory, within, created_at }: CheckRow): Check {
  return { id, search: JSON.parse(search) as CheckedSearch, memoryId: memory, within, createdAt: created_at };
}
