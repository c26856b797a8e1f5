// Owns reading one audit record for administrators of the machine, who have no API key. The record may be in any chain. It shows
// what the project itself could read. Reading it is recorded on the chain of the installation.

import { Type } from "@sinclair/typebox";
import { planOf } from "../../../access/project.ts";
import { auditRecordDetail, exampleDetail } from "../../../audit/record-schema.ts";
import { toAuditRecordDetail } from "../../../audit/record-view.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { type InstallationPreparation, installationOperation } from "../../contract/operation.ts";
import { retentionFloor } from "./list.ts";

export const showRecord = installationOperation({
  name: "audit.show_record",
  summary: "Show an audit record",
  description:
    "Shows one audit record of any project or of the installation, with request, response and results.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  answersWithRecords: true,
  input: Fields({ record: Type.String({ description: "Id of the audit record." }) }),
  output: auditRecordDetail,
  prepare: async ({ record }, preparation) => (await findAnywhere(record, preparation)).detail,
  apply: async (_transaction, _input, _application, data) => ({ data }),
});

/** The same for an administration key, which may read no record of a project. */
export const showOfInstallation = installationOperation({
  ...showRecord,
  summary: "Show an audit record of the installation",
  description: "Shows one audit record of the installation, with request, response and who sent it.",
  example: {
    input: { record: exampleDetail.id },
    data: { ...exampleDetail, action: "key.create", project_id: null, key_id: null, memory_id: null },
  },
  prepare: async ({ record }, preparation) => {
    const { owner, detail } = await findAnywhere(record, preparation);
    if (owner !== null) throw unknownRecord();
    return detail;
  },
});

/** A record of any chain. `owner`: of the chain; `project` and `plan`: null if it is the installation, or deleted. @throws Refusal 2204 */
export async function findAnywhere(given: string, { store, plans, now, signal }: InstallationPreparation) {
  const id = toId(given.trim());
  const place = id === null ? null : await store.audit.place(id);
  const owner = place === null || place.project === null ? null : { id: place.project };
  const record = place === null || id === null ? null : await store.audit.find(owner, id, signal);
  const project = owner === null ? null : await store.access.findProject(owner.id);
  const plan = project === null ? null : planOf(project, plans);
  const floor = plan === null ? null : retentionFloor(plan, now);
  const detail = record === null ? null : toAuditRecordDetail(record, plan?.hash ?? true);
  if (record === null || detail === null || (floor !== null && Date.parse(detail.created_at) < floor)) {
    throw unknownRecord();
  }
  return { record, detail, owner, project, plan };
}

function unknownRecord(): Refusal {
  return new Refusal(
    2204,
    'The audit record does not exist. It may have been pruned. Run "memledger audit list" to find its id.',
  );
}
