// Owns reading one audit record with all its fields. A record of another project is refused like one that does not exist.

import { Type } from "@sinclair/typebox";
import { auditRecordDetail, exampleDetail } from "../../../audit/record-schema.ts";
import { toAuditRecordDetail } from "../../../audit/record-view.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { retentionFloor } from "./list.ts";

export const readRecord = projectOperation({
  name: "audit.read",
  summary: "Read an audit record",
  description: "Returns one audit record of the project, with request, response and results.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  answersWithRecords: true,
  input: Fields({
    audit_id: Type.String({ description: "Audit record identifier, 32 hexadecimal characters." }),
  }),
  output: auditRecordDetail,
  refusals: [2204],
  example: { input: { audit_id: exampleDetail.id }, data: exampleDetail },

  async prepare({ audit_id }, { store, caller, plan, now, signal }) {
    const floor = retentionFloor(plan, now);
    const id = toId(audit_id);
    const record = id === null ? null : await store.audit.find(caller.project, id, signal);
    const detail = record === null ? null : toAuditRecordDetail(record, plan.hash);
    if (detail === null || (floor !== null && Date.parse(detail.created_at) < floor)) {
      throw new Refusal(
        2204,
        "The audit record does not exist in this project. List records to find its id.",
      );
    }
    return { precomputed: { data: detail }, prepared: null };
  },
});
