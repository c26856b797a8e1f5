// Owns whom a call is for: the subject that its key, a header or its input names. Decided once, before the call is prepared.

import { chooseSubject } from "../access/bound-subject.ts";
import { randomId } from "../ids.ts";
import { type Subject, subjectName } from "../memory/owner.ts";
import type { SubjectReader } from "../memory/subject-store.ts";
import { createParser, Fields } from "../schema/schema.ts";
import { toLabel } from "../text/label.ts";
import type { Authority } from "./identify.ts";
import type { Reading } from "./input.ts";
import type { Request } from "./request.ts";

type ProjectAuthority = Extract<Authority, { readonly kind: "project" }>;

const parseHeader = createParser(Fields({ "Memledger-Subject": subjectName }));

/**
 * @returns null: the project itself
 * @throws Refusal 1400 or 1403
 */
export async function findSubject(
  subjects: Pick<SubjectReader, "find">,
  { operation, caller }: ProjectAuthority,
  { credentials, subject: header = null }: Request,
  reading: Reading,
): Promise<Subject | null> {
  // What the server does for a call is for whom the call is.
  if (operation.forSubjects !== true) return null;
  if (credentials.kind === "caller" || credentials.kind === "task") return caller.subject;
  const name = chooseSubject(caller.key, {
    header: header === null ? null : readHeader(header),
    input: reading.input === null ? null : reading.subject,
  });
  if (name === null) return null;
  return (await subjects.find(caller.project, name)) ?? { id: randomId(), name };
}

/** @throws Refusal 1400 */
function readHeader(value: string): string {
  parseHeader({ "Memledger-Subject": value });
  return toLabel(value);
}
