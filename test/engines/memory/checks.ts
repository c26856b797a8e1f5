// The checks of the test engine.

import type { Check } from "../../../src/memory/check.ts";
import type { CheckTransaction } from "../../../src/memory/check-store.ts";
import type { Data } from "./data.ts";

/** Ids grow with creation. */
export function checksOf({ checks }: Data, project: string): Check[] {
  const rows = checks.all().filter((row) => row.project === project);
  return rows.map(({ check }) => check).sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function createCheckTransaction(data: Data): CheckTransaction {
  const { checks, createId } = data;
  const removeAll = (wanted: readonly Check[]) => {
    for (const { id } of wanted) checks.delete(id);
    return wanted.length;
  };
  return {
    list: async ({ id }) => checksOf(data, id),
    count: async ({ id }) => checksOf(data, id).length,
    async insert(project, fields) {
      const check = { id: createId(fields.createdAt), ...fields };
      checks.set(check.id, { check, project: project.id });
      return check;
    },
    remove: async (project, id) =>
      removeAll(checksOf(data, project.id).filter((check) => check.id === id)) > 0,
    removeExpecting: async (memoryId) =>
      removeAll(
        checks
          .all()
          .map(({ check }) => check)
          .filter((check) => check.memoryId === memoryId),
      ),
    async removeAll({ id }) {
      removeAll(checksOf(data, id));
    },
  };
}
