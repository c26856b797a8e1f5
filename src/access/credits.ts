// Owns what calls cost: credits of a project, and what a credit is worth. Must never let a project spend what it does not have.

import { Refusal } from "../errors.ts";
import { counted } from "../text/plural.ts";
import type { Project } from "./project.ts";
import type { AccessTransaction } from "./store.ts";

/** The price list of the installation. */
export interface Prices {
  /** Credits of one extraction. */
  readonly extractionCredits: number;
  /** Whether a dry run that asks a language model costs as much as a run. */
  readonly chargeDryRuns: boolean;
  /** US dollars of one credit; 0 where credits are only counted. */
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

/** 1402; `available` are those that no running call has reserved. */
export function creditsExhausted(available: number, required: number): Refusal {
  const message = `Not enough credits: ${counted(required, "credit")} required, ${available} available. Ask the operator to add credits.`;
  return new Refusal(1402, message, { credits: available, cost: required });
}

/** Takes the credits inside the transaction of the call that costs them. @throws Refusal 1402 */
export async function charge(access: AccessTransaction, project: Project, cost: Cost): Promise<void> {
  if (project.credits === null || cost.credits === 0) return;
  if (project.credits < cost.credits) throw creditsExhausted(project.credits, cost.credits);
  await access.updateProject({ ...project, credits: project.credits - cost.credits });
}
