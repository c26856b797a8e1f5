// Owns the queries for keys that expire soon and for projects that have used up what they may use. They read every key and project, but
// no memory, and somebody must ask for them: at most once a minute.

import type { PlanName } from "../../access/plan.ts";
import type { NearLimits, NearLimitsQuery } from "../../calls/storage/statistics.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { memoriesOf } from "./project-serials.ts";

interface KeyRow {
  name: string;
  project: string;
  projectId: string;
  expiresAt: number;
}

interface ProjectRow {
  project: string;
  projectId: string;
  plan: PlanName;
  memoryLimit: number | null;
  credits: number | null;
  memories: number;
}

export function createNearLimitsReader(database: Database): (query: NearLimitsQuery) => NearLimits {
  const keys = database.prepare<[number, number], KeyRow>(
    `SELECT k.name, p.name AS project, p.id AS projectId, k.expires_at AS expiresAt
     FROM api_key k JOIN project p ON p.serial = k.project
     WHERE k.revoked_at IS NULL AND k.expires_at > ? AND k.expires_at <= ? ORDER BY k.expires_at, k.id`,
  );
  const projects = database.prepare<[], ProjectRow>(
    `SELECT p.name AS project, p.id AS projectId, p.plan, p.memory_limit AS memoryLimit, p.credits,
       ${memoriesOf("p")} AS memories
     FROM project p WHERE p.deleted_at IS NULL AND p.parent IS NULL ORDER BY p.serial`,
  );

  const read = (query: NearLimitsQuery): NearLimits => {
    const { now, expiresBefore, memoryLimits, memoryShareMin, creditsMax, namedMax } = query;
    const all = projects.all();
    const full = all.flatMap(({ project, projectId, plan, memoryLimit, memories }) => {
      const limit = memoryLimit ?? memoryLimits[plan];
      // With a limit of 0 the plan has no memories, so nothing is used up.
      if (limit === null || limit === 0 || memories < limit * memoryShareMin) return [];
      return [{ project, projectId, memories, limit }];
    });
    const poor = all.flatMap(({ project, projectId, credits }) =>
      credits === null || credits > creditsMax ? [] : [{ project, projectId, credits }],
    );
    const first = <Item>(found: readonly Item[]) => ({
      count: found.length,
      first: found.slice(0, namedMax),
    });
    return { keys: first(keys.all(now, expiresBefore)), memories: first(full), credits: first(poor) };
  };
  return database.transaction(read);
}
