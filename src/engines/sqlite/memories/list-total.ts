// Owns the number of memories that a list shows, without reading them where indexes or counters tell it.

import { kindsOf } from "../../../memory/kind.ts";
import type { ListFilter } from "../../../memory/search/list-query.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ofKinds, toKindsParameter } from "./memory-row.ts";
import { selectedMemories } from "./selected-memories.ts";

/** Which memories are counted. Null: all of the project. */
interface Counted {
  readonly project: number;
  /** As toKindsParameter makes them. */
  readonly kinds: string | null;
  readonly now: number;
}

const ofPool = `p.project = :project AND ${ofKinds("p")}`;
const alive = "m.project = p.project AND m.memory_type = p.memory_type AND m.epoch = p.epoch";

/** @returns a function that counts the memories that match a filter; null when only reading them tells it */
export function createListTotal(
  database: Database,
): (project: number, filter: ListFilter, now: number) => number | null {
  const count = (sql: string) => {
    const statement = database.prepare<[Counted], number>(sql).pluck();
    return (counted: Counted) => statement.get(counted) ?? 0;
  };
  const inactiveFrom = `FROM pool p CROSS JOIN memory m INDEXED BY memory_inactive ON ${alive} AND m.is_active = 0 WHERE ${ofPool}`;
  const all = count(`SELECT TOTAL(p.memories) FROM pool p WHERE ${ofPool}`);
  const inactive = count(`SELECT COUNT(*) ${inactiveFrom}`);
  const inactiveExpired = count(`SELECT COUNT(*) ${inactiveFrom} AND m.expires_at <= :now`);
  const expired = count(
    `SELECT COUNT(*) FROM memory m INDEXED BY memory_by_expiry CROSS JOIN pool p ON ${alive}
     WHERE m.project = :project AND m.expires_at <= :now AND ${ofPool}`,
  );

  /** By the rows of inactive and of expiring memories, which indexes have: the others are the rest. */
  const byState = (counted: Counted, { active, expired: wanted }: ListFilter): number => {
    const among = {
      /** All, whatever their state. */
      every: () =>
        wanted === null ? all(counted) : wanted ? expired(counted) : all(counted) - expired(counted),
      inactive: () => {
        if (wanted === null) return inactive(counted);
        return wanted ? inactiveExpired(counted) : inactive(counted) - inactiveExpired(counted);
      },
    };
    if (active === null) return among.every();
    return active ? among.every() - among.inactive() : among.inactive();
  };

  return (project, filter, now) => {
    const { type, origin, words, active, expired } = filter;
    const selected = selectedMemories(filter, ofPool);
    const counted = { project, kinds: toKindsParameter(kindsOf(type, origin)), now };
    if (words !== null) return null;
    if (selected === null) return byState(counted, filter);
    if (active !== null || expired !== null) return null;
    const { sql, parameters } = selected;
    const matching = database
      .prepare<[Record<string, unknown>], number>(`SELECT COUNT(*) FROM (${sql})`)
      .pluck();
    return matching.get({ ...parameters, ...counted }) ?? 0;
  };
}
