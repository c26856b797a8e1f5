// Owns finding the subject, the conversation and the person that records are selected by.

import type { Project } from "../../../access/project.ts";
import type { NamedFilter } from "../../../audit/record-filter.ts";
import { randomId } from "../../../platform/ids.ts";
import { toLabel } from "../../../platform/text/label.ts";
import type { Store } from "../../storage/store.ts";

interface Names {
  readonly subject?: string;
  readonly conversation?: string;
  readonly on_behalf_of?: string;
}

/** @returns their pseudonyms; for a name that is not known, one that no record has; null without a name */
export async function findPseudonyms(
  { subjects, conversations }: Pick<Store, "subjects" | "conversations">,
  project: Pick<Project, "id">,
  names: Names,
): Promise<NamedFilter> {
  const [subject, conversation] = [names.subject, names.conversation].map((name) =>
    name === undefined ? null : toLabel(name),
  );
  const owner = typeof subject === "string" ? await subjects.find(project, subject) : null;
  const of = { project: project.id, subject: owner?.id ?? null };
  const isUnknown = typeof subject === "string" && owner === null;
  const found =
    typeof conversation === "string" && !isUnknown ? await conversations.find(of, conversation) : null;
  return {
    subject: typeof subject === "string" ? (owner?.id ?? randomId()) : null,
    conversation: typeof conversation === "string" ? (found?.id ?? randomId()) : null,
    person: await findPersonFilter(subjects, project, names),
  };
}

/** As findPseudonyms, of the person alone. */
export async function findPersonFilter(
  subjects: Pick<Store["subjects"], "findPerson">,
  project: Pick<Project, "id">,
  { on_behalf_of: name }: Pick<Names, "on_behalf_of">,
): Promise<string | null> {
  if (name === undefined) return null;
  return (await subjects.findPerson(project, toLabel(name)))?.id ?? randomId();
}
