// Owns what calls cost: credits of a project, and what a credit is worth. Must never let a project spend what it does not have.

import { Refusal } from "../errors.ts";
import type { Transaction } from "../store.ts";
import type { Project } from "./project.ts";

/** The price list of the installation. */
export interface Prices {
  /** Credits of one extraction. */
  readonly extractionCredits: number;
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

/** @throws Refusal 1402 */
export function requireCredits({ credits }: Project, cost: Cost): void {
  if (credits === null || credits >= cost.credits) return;
  throw new Refusal(
    1402,
    `The call costs ${cost.credits} credits and the project has ${credits}. Ask the operator to add credits.`,
    { credits, cost: cost.credits },
  );
}

/** Takes the credits inside the transaction of the call that costs them. @throws Refusal 1402 */
export async function charge(transaction: Transaction, project: Project, cost: Cost): Promise<void> {
  requireCredits(project, cost);
  if (project.credits === null || cost.credits === 0) return;
  await transaction.access.updateProject({ ...project, credits: project.credits - cost.credits });
}
