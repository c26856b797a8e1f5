// Owns reading one audit record with all its fields. A record of another project is refused like one that does not exist.

import { Type } from "@sinclair/typebox";
import { auditRecordDetail, exampleDetail } from "../../../audit/record-schema.ts";
import { toAuditRecordDetail } from "../../../audit/record-view.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import { retentionFloor } from "./list.ts";

export const recordInput = Fields({
  audit_id: Type.String({ description: "Audit record identifier, 32 hexadecimal characters." }),
});

export const readRecord = projectOperation({
  name: "audit.read",
  summary: "Read an audit record",
  description: "Returns one audit record of the project, with request, response and results.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  answersWithRecords: true,
  input: recordInput,
  output: auditRecordDetail,
  refusals: [2204],
  example: { input: { audit_id: exampleDetail.id }, data: exampleDetail },

  async prepare({ audit_id }, preparation) {
    const { detail } = await findRecord(audit_id, preparation);
    return { precomputed: { data: detail }, prepared: null };
  },
});

/** A record that the project may see. @throws Refusal 2204 */
export async function findRecord(
  auditId: string,
  { store, caller, plan, now, signal }: Pick<Preparation, "store" | "caller" | "plan" | "now" | "signal">,
) {
  const floor = retentionFloor(plan, now);
  const id = toId(auditId);
  const record = id === null ? null : await store.audit.find(caller.project, id, signal);
  const detail = record === null ? null : toAuditRecordDetail(record, plan.hash);
  if (record === null || detail === null || (floor !== null && Date.parse(detail.created_at) < floor)) {
    throw new Refusal(2204, "The audit record does not exist in this project. List records to find its id.");
  }
  return { ...record, detail };
}
