// Owns the project, which owns everything else: its plan, its subscription, its limits.

import type { Plan, PlanName, Plans } from "./plan.ts";

export const subscriptions = ["active", "expired"] as const;

export interface Project {
  /** 32 hexadecimal characters; the name by which clients know the project. */
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly subscription: (typeof subscriptions)[number];
  /** Credits left; null is unlimited. */
  readonly credits: number | null;
  /** Overrides of the plan; null means that the plan decides. */
  readonly memoryLimit: number | null;
  readonly retentionDays: number | null;
  readonly createdAt: number;
}

/** The plan of a project with the project's own overrides applied. */
export function planOf(project: Project, plans: Plans): Plan {
  const plan = plans[project.plan];
  return {
    ...plan,
    memoryLimit: project.memoryLimit ?? plan.memoryLimit,
    retentionDays: retentionDaysOf(project, plans),
  };
}

/** Days that the audit records of a project stay; null: for ever. */
export function retentionDaysOf(
  { plan, retentionDays }: Pick<Project, "plan" | "retentionDays">,
  plans: Plans,
): number | null {
  return retentionDays ?? plans[plan].retentionDays;
}
