// Owns the columns of an export: the fields of the API, and in a verifiable export erased parts, entry, salt and payload. Must never hold a
// value that the API does not show.

import { Type } from "@sinclair/typebox";
import type { Json } from "../../platform/json/json.ts";
import { Fields, Nullable } from "../../platform/schema/schema.ts";
import { erasedPartsOf } from "../parts/stored-payload.ts";
import type { ProvableRecord } from "../record.ts";
import { exportedFields, recordFieldNames } from "../record-schema.ts";
import { toExportedRecord } from "../record-view.ts";

/** The exact texts that were hashed, and the salt; only in a verifiable export. */
const proof = {
  erased_parts: Type.Optional(
    Nullable(
      Type.Array(Type.Integer({ minimum: 0 }), {
        description:
          "Indices of the parts of the payload that were erased; null for a payload that has no parts or was removed.",
      }),
    ),
  ),
  proof: Type.Optional(
    Type.Array(Type.String({ contentEncoding: "base64" }), {
      description:
        "Hashes beside the path from the record to the root of the checkpoint in the manifest, from the leaf up; only if a filter has selected the records.",
    }),
  ),
  entry: Type.Optional(
    Type.String({
      description: "The entry of the record, as it was hashed; only if the plan includes hashes.",
    }),
  ),
  salt: Type.Optional(
    Nullable(
      Type.String({ description: "Salts of the payload, hexadecimal; null if the payload was removed." }),
    ),
  ),
  payload: Type.Optional(
    Nullable(
      Type.String({
        description: "The payload as it is stored, with a line for each part; null if it was removed.",
      }),
    ),
  ),
};

/** A record in a file of the format json. */
export const exportedRecord = Fields({ ...exportedFields.properties, ...proof }, { title: "ExportedRecord" });

const proofColumns = Object.keys(proof);

/** What decides on the columns of an export. */
export interface Proofs {
  /** If the plan has no hashes, `hash` is null and the columns that prove it are absent. */
  readonly verifiable: boolean;
  /** Whether a filter has left out records, so that each one has its proof. */
  readonly hasGaps: boolean;
}

/** In the order of the file. */
export function columnsOf({ verifiable, hasGaps }: Proofs): readonly string[] {
  if (!verifiable) return recordFieldNames;
  return [...recordFieldNames, ...proofColumns.filter((column) => hasGaps || column !== "proof")];
}

/**
 * The values of a record by column; those of entry and payload are the exact texts that are stored.
 * @throws Error when the record cannot be read
 */
export function rowOf(record: ProvableRecord, verifiable: boolean): Readonly<Record<string, Json>> {
  const fields = toExportedRecord(record, verifiable);
  if (!verifiable) return fields;
  const { entry, content, salt } = record;
  const proof = record.proof === undefined ? {} : { proof: [...record.proof] };
  if (content === null || salt === null) {
    return { ...fields, erased_parts: null, ...proof, entry, salt: null, payload: null };
  }
  return {
    ...fields,
    erased_parts: erasedPartsOf({ content, salt }),
    ...proof,
    entry,
    salt: Buffer.from(salt).toString("hex"),
    payload: Buffer.from(content).toString(),
  };
}
