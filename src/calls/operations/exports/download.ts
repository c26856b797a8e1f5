// Owns the download of an export's file and its manifest. Must never serve a file that is still being written.

import { Type } from "@sinclair/typebox";
import { exportedRecord } from "../../../audit/export/columns.ts";
import {
  type Export,
  type ExportFormat,
  exampleId,
  exportId,
  manifestPath,
} from "../../../audit/export/export.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { requireExport } from "./read.ts";

export const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
};
const manifestType = "text/plain; charset=utf-8";

const download = {
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.export",
  feature: "export",
  input: Fields({ export_id: exportId }),
  output: null,
  refusals: [2205, 2206],
  example: { input: { export_id: exampleId }, data: null },
} as const;

export const downloadExport = projectOperation({
  ...download,
  name: "audit.export_download",
  summary: "Download an export",
  description:
    "Returns the file. With a Range header it returns a part of the file, so that a client can resume an interrupted download; the ETag is the SHA-256 of the file.",
  files: { [mediaTypes.csv]: Type.String(), [mediaTypes.json]: Type.Array(exportedRecord) },

  async apply(transaction, { export_id }, _prepared, { caller, now }) {
    const made = await requireExport(transaction, caller.project, export_id, now);
    const sha256 = requireReady(made);
    const file = { path: made.path, name: fileName(made), type: mediaTypes[made.format], tag: sha256 };
    return { data: null, file };
  },
});

export const downloadManifest = projectOperation({
  ...download,
  name: "audit.export_manifest",
  summary: "Download the manifest of an export",
  description:
    "Returns the signed manifest of an export: its time range, number of rows, hashes and a checkpoint. Store it next to the file as FILE.manifest to verify both offline.",
  files: { [manifestType]: Type.String() },

  async apply(transaction, { export_id }, _prepared, { caller, now }) {
    const made = await requireExport(transaction, caller.project, export_id, now);
    const tag = `${requireReady(made)}-manifest`;
    const [path, name] = [manifestPath(made.path), manifestPath(fileName(made))];
    return { data: null, file: { path, name, type: manifestType, tag } };
  },
});

function fileName({ id, format }: Pick<Export, "id" | "format">): string {
  return `audit-${id}.${format}`;
}

/** @returns the SHA-256 of the file. @throws Refusal 2206 */
function requireReady({ status, sha256, error }: Export): string {
  if (sha256 !== null) return sha256;
  throw new Refusal(
    2206,
    status === "failed"
      ? `The export failed, so there is no file. ${error} Create a new export.`
      : "The export is not completed yet. Read the export until its status is completed, then download the file.",
    { status },
  );
}
