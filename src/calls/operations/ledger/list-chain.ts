// Owns the list of audit records for administrators of the machine, who have no API key: of a project or of the installation. It shows what
// the project itself could list, and is recorded on the chain of the installation.

import { type Static, Type } from "@sinclair/typebox";
import { planOf } from "../../../access/project.ts";
import { allNamed, recordFilters } from "../../../audit/record-filter.ts";
import { auditRecord, exampleRecord } from "../../../audit/record-schema.ts";
import { toAuditRecord } from "../../../audit/record-view.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import { auditPageSizeDefault, nameMaxCharacters } from "../../../platform/limits.ts";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { nextCursor, pageFields } from "../../../platform/schema/page.ts";
import { Count, Fields, Text } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { type InstallationPreparation, installationOperation } from "../../contract/operation.ts";
import { unknownProject } from "../access/require-project.ts";
import { cursorAfter, describeList, firstPage, pageAfter, recordSpan, retentionFloor } from "./list.ts";
import { findPseudonyms } from "./named-subject.ts";

const { action, key_id, status_class } = recordFilters;
const { page_size } = pageFields({ items: "Records", defaultSize: auditPageSizeDefault });
const paging = {
  cursor: Type.Optional(
    Type.String({ description: "next_cursor of the previous page, with the same filters." }),
  ),
  page_size,
};
const input = Fields({
  project: Type.Optional(
    Text({
      maxLength: nameMaxCharacters,
      description: "Id or name of the project; without it, the records of the installation.",
    }),
  ),
  ...recordSpan,
  ...recordFilters,
  subject: Type.Optional(subjectName),
  conversation: Type.Optional(conversationName),
  ...paging,
});
const output = Fields(
  {
    logs: Type.Array(auditRecord),
    total: Count("Number of matching records on all pages."),
    next_cursor: nextCursor,
  },
  { title: "ChainRecords" },
);

export const listChain = installationOperation({
  name: "audit.list_chain",
  summary: "List audit records of a project or of the installation",
  description:
    "Lists the audit records of a project, or of the installation: administration, and calls without a valid key. Newest first.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  unrecorded: ["subject", "conversation", "on_behalf_of"],
  answersWithRecords: true,
  input,
  output,
  prepare: readChain,
  apply: async (_transaction, _input, _application, data) => ({ data }),
});

/** The same for an administration key, which may read no record of a project. */
export const listInstallation = installationOperation({
  ...listChain,
  summary: "List audit records of the installation",
  description:
    "Lists the audit records of the installation: administration, and calls without a valid key. Newest first.",
  input: Fields({ ...recordSpan, action, key_id, status_class, ...paging }),
  example: {
    input: { action: "key.create", page_size: 50 },
    data: {
      logs: [{ ...exampleRecord, action: "key.create", project_id: null, key_id: null, memory_id: null }],
      total: 1,
      next_cursor: null,
    },
  },
});

/** @throws Refusal 1400 */
async function readChain(
  { project: idOrName, cursor, page_size: limit = auditPageSizeDefault, ...filters }: Static<typeof input>,
  { store, plans, now, signal }: InstallationPreparation,
): Promise<Static<typeof output>> {
  const project = idOrName === undefined ? null : await store.access.findProject(idOrName);
  if (idOrName !== undefined && project === null) throw unknownProject(idOrName);
  const plan = project === null ? null : planOf(project, plans);
  const floor = plan === null ? null : retentionFloor(plan, now);
  if (project === null) refuseOfProject(filters);
  const named = project === null ? allNamed : await findPseudonyms(store, project, filters);
  const { name, filter } = describeList(filters, project?.id ?? null, floor, null, named);
  const page = cursor === undefined ? firstPage(limit) : pageAfter({ name, cursor, limit });
  const found = await store.audit.list(project, { ...filter, ...page }, signal);
  return {
    logs: found.records.map((record) => toAuditRecord(record, plan?.hash ?? true)),
    total: found.total,
    next_cursor: cursorAfter(name, found),
  };
}

/** Subjects, conversations, persons and memories belong to projects. @throws Refusal 1400 */
function refuseOfProject(filters: Pick<Static<typeof input>, (typeof ofProject)[number]>): void {
  const field = ofProject.find((name) => filters[name] !== undefined);
  if (field !== undefined) throw fieldRefusal(field, "selects records of a project; name the project, too");
}

const ofProject = ["subject", "conversation", "on_behalf_of", "tag", "metadata"] as const;
