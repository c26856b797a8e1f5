// Owns the columns of an export: the fields of the API, and in a verifiable export entry, salt and payload. Must never hold a value
// that the API does not show.

import type { StoredRecord } from "../audit/record.ts";
import { recordFieldNames } from "../audit/record-schema.ts";
import { toExportedRecord } from "../audit/record-view.ts";
import type { Json } from "../json/json.ts";

const proofColumns = ["entry", "salt", "payload"];

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
