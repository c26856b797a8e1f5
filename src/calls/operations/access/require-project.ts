// Owns finding the project that the input of an operation names, and the refusal if there is none.

import { hideSecrets } from "../../../access/key.ts";
import type { Project } from "../../../access/project.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Application } from "../../contract/application.ts";
import type { Transaction } from "../../storage/store.ts";

/** Who is told what to do: a person at the machine of the server, or a program that uses an administration key. */
export type Asker = Pick<Application["origin"], "administrationKey">;

/** @throws Refusal 1400 when the project does not exist; 1404 for an administration key */
export async function requireProject(
  transaction: Transaction,
  idOrName: string,
  asker: Asker = {},
): Promise<Project> {
  const project = await transaction.access.findProject(idOrName);
  if (project !== null) return project;
  if (asker.administrationKey === undefined) throw unknownProject(idOrName);
  throw new Refusal(
    1404,
    `There is no project "${hideSecrets(idOrName)}". GET /v1/admin/projects lists all projects.`,
  );
}

/** 1400 */
export function unknownProject(idOrName: string): Refusal {
  return new Refusal(
    1400,
    `There is no project "${idOrName}". Run "memledger project list" to list all projects.`,
  );
}
