// Owns what somebody who watches one project sees of it: its newest record, what it has used of its limits, and its exports.

import type { Plans } from "../../../../access/plan.ts";
import { planOf } from "../../../../access/project.ts";
import { toExportDetail } from "../../../../audit/export/export.ts";
import type { ChainContents } from "../../../../calls/storage/statistics.ts";
import type { JsonObject } from "../../../../platform/json/json.ts";

export interface ProjectState {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly subscription: string;
  /** Null: unlimited. */
  readonly memory_limit: number | null;
  readonly credits: number | null;
  readonly retention_days: number | null;
  /** Calls per second of each key, and the maximum burst. */
  readonly rate: Readonly<{ per_second: number; burst: number }> | null;
  readonly includes_export: boolean;
  readonly includes_hash: boolean;
}

/** Null: there is no such project any more. */
export function toProjectState(id: string, { project }: ChainContents, plans: Plans): ProjectState | null {
  if (project === null) return null;
  const plan = planOf({ ...project, id, createdAt: 0 }, plans);
  return {
    id,
    name: project.name,
    plan: project.plan,
    subscription: project.subscription,
    memory_limit: plan.memoryLimit,
    credits: project.credits,
    retention_days: plan.retentionDays,
    rate: plan.rate === null ? null : { per_second: plan.rate.perSecond, burst: plan.rate.burst },
    includes_export: plan.export,
    includes_hash: plan.hash,
  };
}

/** Numbers of memories by kind. */
export function toMemoryCounts({ memories }: ChainContents): Readonly<Record<string, number>> {
  return Object.fromEntries(memories.map(({ type, memories: count }) => [type, count]));
}

/** As the list of exports answers them, newest first, without those whose file is removed. */
export function toExports({ exports }: ChainContents, now: number): readonly JsonObject[] {
  return exports
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .map((made) => toExportDetail(made));
}
