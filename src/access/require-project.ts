// Owns finding the project that the input of an operation names, and the refusal if there is none.

import { Refusal } from "../errors.ts";
import type { Transaction } from "../storage/store.ts";
import type { Project } from "./project.ts";

/** @throws Refusal 1400 when the project does not exist */
export async function requireProject(transaction: Transaction, idOrName: string): Promise<Project> {
  const project = await transaction.access.findProject(idOrName);
  if (project === null) throw unknownProject(idOrName);
  return project;
}

/** 1400 */
export function unknownProject(idOrName: string): Refusal {
  return new Refusal(
    1400,
    `There is no project "${idOrName}". Run "memledger project list" to list all projects.`,
  );
}
