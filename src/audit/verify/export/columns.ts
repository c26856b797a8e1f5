// Owns the comparison of the columns of an exported row with the entry and the payload that they copy.

import { successCode } from "../../../platform/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import type { Entry } from "../entry-parser.ts";
import { isOwn } from "../own-records.ts";
import { erasedParts, type ParsedParts } from "../part-lines.ts";
import { joinParts } from "../part-places.ts";
import type { FoundRecord } from "../record-checks.ts";
import type { ExportRow } from "./rows.ts";

export interface ExportedRecord extends FoundRecord {
  readonly row: ExportRow;
}

/** Columns that copy the payload and that every version has written. */
const payloadColumns = [
  "model_id",
  "gateway_id",
  "ip_address",
  "user_agent",
  "error_msg",
  "metadata",
  "request_body",
  "response_body",
  "input_content",
  "output_content",
  "rag_query",
  "rag_results",
] as const;
/** Columns that copy the payload and that the first versions have not written. */
const laterPayloadColumns = ["request_parameters", "transport", "client_name"] as const;
/** The server derives these columns if the payload does not contain them. */
const derivedColumns = ["memory_query", "memory_results"] as const;

/** Columns that the first version of the program did not write may be absent; all others must be present. */
export function columnsAgree(
  { row, entry: text, payload }: ExportedRecord,
  entry: Entry,
  parts: ParsedParts | null,
): boolean {
  const shows = (column: string, value: Json) => row.has(column) && row.shows(column, value);
  const agreesIfPresent = (column: string, value: Json) => !row.has(column) || row.shows(column, value);
  const numbers = membersOf(JSON.parse(text ?? "{}").numbers);
  const members =
    typeof payload === "string" ? {} : entry.v2 === null ? parsePayload(payload.text) : membersIn(parts);
  return (
    shows("id", entry.id) &&
    shows("action", entry.action) &&
    shows("project_id", entry.project) &&
    shows("created_at", entry.at) &&
    shows("http_status", entry.status) &&
    shows("is_success", entry.status >= 200 && entry.status <= 299) &&
    shows("error_code", entry.code === successCode ? null : entry.code) &&
    shows("duration", numbers.duration ?? null) &&
    shows("tokens", numbers.tokens ?? null) &&
    shows("is_cache_hit", numbers.is_cache_hit ?? false) &&
    shows("credits_consumed", numbers.credits_consumed ?? 0) &&
    shows("balance_consumed_usd", numbers.balance_consumed_usd ?? 0) &&
    payloadColumns.every((column) => shows(column, members[column] ?? null)) &&
    derivedColumns.every((column) => row.has(column)) &&
    derivedColumns.every((column) => members[column] === undefined || shows(column, members[column])) &&
    (entry.v2 === null
      ? agreesIfPresent("erased_parts", null)
      : shows("erased_parts", parts && erasedParts(parts))) &&
    agreesIfPresent("key_id", entry.key) &&
    agreesIfPresent("seq", entry.seq) &&
    agreesIfPresent("memory_id", entry.memory) &&
    agreesIfPresent("performed", isOwn(entry)) &&
    laterPayloadColumns.every((column) => agreesIfPresent(column, members[column] ?? null))
  );
}

/** The payload object, which is a new one, and who sent the call: in version 2, these are members of the member `sender`. */
function membersIn(parts: ParsedParts | null): JsonObject {
  const members = parts === null ? {} : (joinParts(parts) ?? {});
  const { ip_address = null, user_agent = null, client_name = null } = membersOf(members.sender);
  return Object.assign(members, { ip_address, user_agent, client_name });
}

/** {} for a text that is not a JSON object: whether the text matches its hash is checked elsewhere. */
function parsePayload(text: string | Uint8Array): JsonObject {
  try {
    return membersOf(JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text)));
  } catch {
    return {};
  }
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
