// Owns the type Project: a tenant with its plan, subscription and limits. Memories, keys and audit records belong to a project.

import type { Plan, PlanName, Plans } from "./plan.ts";

export const subscriptions = ["active", "expired"] as const;

export interface Project {
  /** 32 hexadecimal characters, as clients see it. */
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly subscription: (typeof subscriptions)[number];
  /** Credits available; null: unlimited. */
  readonly credits: number | null;
  /** Overrides the plan; null: as in the plan. */
  readonly memoryLimit: number | null;
  readonly passageLimit: number | null;
  readonly retentionDays: number | null;
  readonly createdAt: number;
}

/** Whether the text is a part of the name or the beginning of the id, in any case. "" is that of all. */
export function isNamed({ id, name }: Pick<Project, "id" | "name">, text: string): boolean {
  const wanted = text.toLowerCase();
  return name.toLowerCase().includes(wanted) || id.startsWith(wanted);
}

/** The plan of a project with the overrides of the project. */
export function planOf(project: Project, plans: Plans): Plan {
  const plan = plans[project.plan];
  return {
    ...plan,
    memoryLimit: project.memoryLimit ?? plan.memoryLimit,
    passageLimit: project.passageLimit ?? plan.passageLimit,
    retentionDays: retentionDaysOf(project, plans),
  };
}

/** Days that the audit records of a project are kept; null: unlimited. */
export function retentionDaysOf(
  { plan, retentionDays }: Pick<Project, "plan" | "retentionDays">,
  plans: Plans,
): number | null {
  return retentionDays ?? plans[plan].retentionDays;
}
