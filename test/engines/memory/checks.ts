// The checks of the test engine.

import type { CheckTransaction } from "../../../src/calls/storage/check-store.ts";
import { ownerId } from "../../../src/memory/owner.ts";
import type { Check } from "../../../src/memory/search/check.ts";
import type { Data } from "./data.ts";
import { ownIds } from "./subjects.ts";

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
    list: async (owner) => checksOf(data, ownerId(owner)),
    count: async (owner) => checksOf(data, ownerId(owner)).length,
    async insert(owner, fields) {
      const check = { id: createId(fields.createdAt), ...fields };
      checks.set(check.id, { check, project: ownerId(owner) });
      return check;
    },
    listAll: async ({ id }) => ownIds(data, id).flatMap((owner) => checksOf(data, owner)),
    removeById: async (id) => Number(checks.delete(id)),
    remove: async (owner, id) =>
      removeAll(checksOf(data, ownerId(owner)).filter((check) => check.id === id)) > 0,
    removeExpecting: async (memoryId) =>
      removeAll(
        checks
          .all()
          .map(({ check }) => check)
          .filter((check) => check.memoryId === memoryId),
      ),
    async removeAll({ id }) {
      for (const owner of ownIds(data, id)) removeAll(checksOf(data, owner));
    },
  };
}
