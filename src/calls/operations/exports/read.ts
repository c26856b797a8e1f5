// Owns reading the progress of an export. An export of another project is refused like one that does not exist.

import type { Project } from "../../../access/project.ts";
import {
  type Export,
  exampleDetail,
  exampleId,
  exportDetail,
  exportId,
  toExportDetail,
} from "../../../audit/export/export.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";

export const readExport = projectOperation({
  name: "audit.export_status",
  summary: "Read an export",
  description:
    "Returns an export with its progress. If its status is completed, download_url and manifest_url are the paths of the file and of its signed manifest; if it is failed, error is the reason.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.export",
  feature: "export",
  input: Fields({ export_id: exportId }),
  output: exportDetail,
  refusals: [2205],
  example: { input: { export_id: exampleId }, data: exampleDetail },

  async apply(transaction, { export_id }, _prepared, { caller, now }) {
    return { data: toExportDetail(await requireExport(transaction, caller.project, export_id, now)) };
  },
});

/** @throws Refusal 2205 */
export async function requireExport(
  transaction: Transaction,
  project: Project,
  id: string,
  now: number,
): Promise<Export> {
  const found = await transaction.exports.find(project, id.toLowerCase(), now);
  if (found !== null) return found;
  throw new Refusal(
    2205,
    "The export does not exist in this project or has expired. List the exports to find its id.",
  );
}
