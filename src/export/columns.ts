// Owns which columns an export has: the fields of the record under the contract's names, and what makes rows verifiable.
// Adds nothing that the API does not show.

import type { StoredRecord } from "../audit/record.ts";
import { recordFieldNames, toAuditRecordDetail } from "../audit/record-view.ts";
import type { Json } from "../json/json.ts";

const proofColumns = ["entry", "salt", "payload"];

/** In their order. Without hashes in the plan `hash` is null, and what it could be checked with is not there. */
export function columnsOf(verifiable: boolean): readonly string[] {
  return verifiable ? [...recordFieldNames, ...proofColumns] : recordFieldNames;
}

/** The values of a record by column; those of entry and payload are the exact texts that were hashed. */
export function rowOf(record: StoredRecord, verifiable: boolean): Readonly<Record<string, Json>> {
  const fields = toAuditRecordDetail(record, verifiable);
  if (!verifiable) return fields;
  const { entry, payload, salt } = record;
  return { ...fields, entry, salt: salt === null ? null : Buffer.from(salt).toString("hex"), payload };
}
