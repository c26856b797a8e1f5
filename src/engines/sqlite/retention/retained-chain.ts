// Owns what retention reads about every chain before it removes anything: its extent, its retention, and what a running export needs.

import type { PlanName, Plans } from "../../../access/plan.ts";
import { retentionDaysOf } from "../../../access/project.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

export interface RetainedChain {
  readonly number: number;
  readonly chain: string;
  /** Id; null: the installation. */
  readonly project: string | null;
  /** Days that its records are kept; null: without a limit. */
  readonly days: number | null;
  /** Seq of the newest record that retention has removed; 0: none. */
  readonly anchored: number;
  /** Seq of the newest record. */
  readonly last: number;
  /** First seq that a running export needs; null: no export is running. */
  readonly exportFirst: number | null;
  /** Column of the chain that repeats what its records of audit.prune say; not proved. */
  readonly payloadsThrough: number;
}

interface ChainRow extends Omit<RetainedChain, "days"> {
  readonly plan: PlanName | null;
  readonly retentionDays: number | null;
}

/** `installationDays`: days that records of the installation's chain are kept; null: without a limit. */
export function readRetainedChains(
  database: Database,
  plans: Plans,
  installationDays: number | null,
): RetainedChain[] {
  return database
    .prepare<[], ChainRow>(
      `SELECT c.number, c.id AS chain, c.payloads_through AS payloadsThrough, p.id AS project, p.plan,
         p.retention_days AS retentionDays,
         COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = c.number), 0) AS anchored,
         COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0) AS last,
         (SELECT MIN(first_seq) FROM audit_export WHERE project = p.serial AND status = 'processing') AS exportFirst
       FROM audit_chain c LEFT JOIN project p ON p.serial = c.project`,
    )
    .all()
    .map(({ plan, retentionDays, ...chain }) => ({
      ...chain,
      days: plan === null ? installationDays : retentionDaysOf({ plan, retentionDays }, plans),
    }));
}
