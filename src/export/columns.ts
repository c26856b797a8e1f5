// Owns the columns of an export: the fields of the API, and in a verifiable export entry, salt and payload. Must never hold a value
// that the API does not show.

import { Type } from "@sinclair/typebox";
import type { StoredRecord } from "../audit/record.ts";
import { exportedFields, recordFieldNames } from "../audit/record-schema.ts";
import { toExportedRecord } from "../audit/record-view.ts";
import type { Json } from "../json/json.ts";
import { Fields, Nullable } from "../schema/schema.ts";

/** The exact texts that were hashed, and the salt; only in a verifiable export. */
const proof = {
  entry: Type.Optional(
    Type.String({
      description: "The entry of the record, as it was hashed; only if the plan includes hashes.",
    }),
  ),
  salt: Type.Optional(
    Nullable(
      Type.String({ description: "Salt of the payload, hexadecimal; null if the payload was removed." }),
    ),
  ),
  payload: Type.Optional(
    Nullable(Type.String({ description: "The payload, as it was hashed; null if it was removed." })),
  ),
};

/** A record in a file of the format json. */
export const exportedRecord = Fields({ ...exportedFields.properties, ...proof }, { title: "ExportedRecord" });

const proofColumns = Object.keys(proof);

/** In the order of the file. If the plan has no hashes, `hash` is null and the columns that prove it are absent. */
export function columnsOf(verifiable: boolean): readonly string[] {
  return verifiable ? [...recordFieldNames, ...proofColumns] : recordFieldNames;
}

/**
 * The values of a record by column; those of entry and payload are the exact texts that were hashed.
 * @throws Error when the record cannot be read
 */
export function rowOf(record: StoredRecord, verifiable: boolean): Readonly<Record<string, Json>> {
  const fields = toExportedRecord(record, verifiable);
  if (!verifiable) return fields;
  const { entry, payload, salt } = record;
  return { ...fields, entry, salt: salt === null ? null : Buffer.from(salt).toString("hex"), payload };
}
