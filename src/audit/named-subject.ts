// Owns finding the subject that administration selects records by.

import type { Project } from "../access/project.ts";
import { randomId } from "../ids.ts";
import type { SubjectReader } from "../subjects/store.ts";
import { toLabel } from "../text/label.ts";

/** @returns its pseudonym; for a name that is not known, one that no record has; null without a name */
export async function findPseudonym(
  subjects: Pick<SubjectReader, "find">,
  project: Pick<Project, "id">,
  name: string | undefined,
): Promise<string | null> {
  if (name === undefined) return null;
  return (await subjects.find(project, toLabel(name)))?.id ?? randomId();
}
