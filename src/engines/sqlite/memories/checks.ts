// Owns the SQL of checks.

import type { Project } from "../../../access/project.ts";
import type { Check, CheckedSearch } from "../../../memory/check.ts";
import type { CheckTransaction } from "../../../memory/check-store.ts";
import type { Database } from "../../../native/sqlite.ts";
import { serialsOf } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";

interface CheckRow {
  id: string;
  /** CheckedSearch as JSON. */
  search: string;
  memory: string;
  within: number;
  created_at: number;
}

/** All checks of a project, oldest first. */
export function createCheckList(database: Database): (project: Project) => readonly Check[] {
  const serialOf = serialsOf(database);
  const all = database.prepare<[number], CheckRow>(
    "SELECT id, search, memory, within, created_at FROM memory_check WHERE project = ? ORDER BY id",
  );
  return (project) => all.all(serialOf(project.id)).map(toCheck);
}

export function createCheckTransaction(
  database: Database,
  { createId }: Pick<WriterState, "createId">,
): CheckTransaction {
  const serialOf = serialsOf(database);
  const list = createCheckList(database);
  const count = database
    .prepare<[number], number>("SELECT COUNT(*) FROM memory_check WHERE project = ?")
    .pluck();
  const insert = database.prepare(
    `INSERT INTO memory_check (id, project, search, memory, within, created_at)
     VALUES (:id, :project, :search, :memory, :within, :createdAt)`,
  );
  const remove = database.prepare("DELETE FROM memory_check WHERE id = ? AND project = ?");
  const removeExpecting = database.prepare("DELETE FROM memory_check WHERE memory = ?");
  const removeAll = database.prepare("DELETE FROM memory_check WHERE project = ?");
  return {
    list: async (project) => list(project),
    count: async (project) => count.get(serialOf(project.id)) ?? 0,
    async insert(project: Project, check) {
      const id = createId(check.createdAt);
      const { search, memoryId: memory, within, createdAt } = check;
      const row = {
        id,
        project: serialOf(project.id),
        search: JSON.stringify(search),
        memory,
        within,
        createdAt,
      };
      insert.run(row);
      return { id, ...check };
    },
    remove: async (project, id) => remove.run(id, serialOf(project.id)).changes > 0,
    removeExpecting: async (memoryId) => removeExpecting.run(memoryId).changes,
    async removeAll(project) {
      removeAll.run(serialOf(project.id));
    },
  };
}

function toCheck({ id, search, memory, within, created_at }: CheckRow): Check {
  return { id, search: JSON.parse(search) as CheckedSearch, memoryId: memory, within, createdAt: created_at };
}
