// Owns the list of a project's exports.

import { Type } from "@sinclair/typebox";
import { projectOperation } from "../calls/operation.ts";
import { exportListMax } from "../limits.ts";
import { Fields } from "../schema/schema.ts";
import { exampleDetail, exportDetail, toExportDetail } from "./export.ts";

export const listExports = projectOperation({
  name: "audit.export_list",
  summary: "List exports",
  description: `Returns the unexpired exports of the project, newest first; at most ${exportListMax}.`,
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.export",
  feature: "export",
  success: 200,
  input: Fields({}),
  output: Fields({ exports: Type.Array(exportDetail) }, { title: "ExportList" }),
  refusals: [],
  example: { input: {}, data: { exports: [exampleDetail] } },

  async prepare() {},

  async apply(transaction, _input, _prepared, { caller, now }) {
    const found = await transaction.exports.list(caller.project, now);
    return { data: { exports: found.map(toExportDetail) } };
  },
});
