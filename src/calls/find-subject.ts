// Owns whom a call is for: the subject that its key, a header or its input names. Decided once, before the call is prepared.

import { chooseSubject } from "../access/bound-subject.ts";
import { randomId } from "../ids.ts";
import type { Subject } from "../memory/owner.ts";
import { createParser, Fields } from "../schema/schema.ts";
import { subjectName } from "../schema/subject-name.ts";
import type { SubjectReader } from "../subjects/store.ts";
import { toLabel } from "../text/label.ts";
import type { Authority } from "./identify.ts";
import type { Reading } from "./input.ts";
import type { Request } from "./request.ts";

type ProjectAuthority = Extract<Authority, { readonly kind: "project" }>;

const parseHeader = createParser(Fields({ "Memledger-Subject": subjectName }));

/** Whom a call is for. `isRecorded`: the record of the call names it, too. */
export interface FoundSubject {
  readonly subject: Subject;
  readonly isRecorded: boolean;
}

/**
 * @returns null: the project itself
 * @throws Refusal 1400 or 1403
 */
export async function findSubject(
  subjects: Pick<SubjectReader, "find">,
  { operation, caller }: ProjectAuthority,
  { credentials, subject: header = null }: Request,
  reading: Reading,
): Promise<FoundSubject | null> {
  // What the server does for a call is for whom the call is.
  if (operation.forSubjects === undefined) return null;
  if (credentials.kind === "caller" || credentials.kind === "task")
    return caller.subject === null ? null : { subject: caller.subject, isRecorded: true };
  const name = chooseSubject(caller, {
    header: header === null ? null : readHeader(header),
    input: reading.input === null ? null : reading.subject,
  });
  if (name === null) return null;
  if (caller.token !== undefined && caller.subject !== null)
    return { subject: caller.subject, isRecorded: true };
  const known = await subjects.find(caller.project, name);
  // The transaction stores a name that is not known, so that an erasure finds the record, unless the call says nothing about anybody.
  const saysSomething = reading.kept.bodyText !== null || operation.exchange !== undefined;
  const isRecorded = known !== null || (saysSomething && operation.forSubjects === true);
  return { subject: known ?? { id: randomId(), name }, isRecorded };
}

/** @throws Refusal 1400 */
function readHeader(value: string): string {
  parseHeader({ "Memledger-Subject": value });
  return toLabel(value);
}
