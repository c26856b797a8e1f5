// Owns the list of a project's exports.

import { Type } from "@sinclair/typebox";
import { exampleDetail, exportDetail, toExportDetail } from "../../../audit/export/export.ts";
import { exportListMax } from "../../../platform/limits.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

export const listExports = projectOperation({
  name: "audit.export_list",
  summary: "List exports",
  description: `Returns the unexpired exports of the project, newest first; at most ${exportListMax}.`,
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.export",
  feature: "export",
  input: Fields({}),
  output: Fields({ exports: Type.Array(exportDetail) }, { title: "ExportList" }),
  example: { input: {}, data: { exports: [exampleDetail] } },

  async apply(transaction, _input, _prepared, { caller, now }) {
    const found = await transaction.exports.list(caller.project, now);
    return { data: { exports: found.map(toExportDetail) } };
  },
});
