// Owns the price of calls, in credits and US dollars, and charging them. Must never let a project spend more credits than it has.

import type { Project } from "../../../access/project.ts";
import { Refusal } from "../../../platform/errors.ts";
import { counted } from "../../../platform/text/plural.ts";
import type { AccessTransaction } from "../../storage/access-store.ts";

/** The price list of the installation. */
export interface Prices {
  /** Credits of one extraction. */
  readonly extractionCredits: number;
  /** Whether a dry run with a language model costs as much as an extraction. */
  readonly chargeDryRuns: boolean;
  /** Price of one credit in US dollars; 0: credits have no price. */
  readonly creditUsd: number;
}

export interface Cost {
  readonly credits: number;
  readonly usd: number;
}

export const free: Cost = { credits: 0, usd: 0 };

export function extractionCost({ extractionCredits, creditUsd }: Prices): Cost {
  return { credits: extractionCredits, usd: extractionCredits * creditUsd };
}

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
