// Owns charging calls. Must never let a project spend more credits than it has.

import type { Cost } from "../../../access/price.ts";
import type { Project } from "../../../access/project.ts";
import { Refusal } from "../../../platform/errors.ts";
import { counted } from "../../../platform/text/plural.ts";
import type { AccessTransaction } from "../../storage/access-store.ts";

/** 1402. `available`: credits that no running call has reserved. */
export function creditsExhausted(available: number, required: number): Refusal {
  const message = `Not enough credits: ${counted(required, "credit")} required, ${available} available. Ask the operator to add credits.`;
  return new Refusal(1402, message, { credits: available, cost: required });
}

/** Deducts the credits, in the transaction of the call. @throws Refusal 1402 */
export async function charge(access: AccessTransaction, project: Project, cost: Cost): Promise<void> {
  if (project.credits === null || cost.credits === 0) return;
  if (project.credits < cost.credits) throw creditsExhausted(project.credits, cost.credits);
  await access.updateProject({ ...project, credits: project.credits - cost.credits });
}
