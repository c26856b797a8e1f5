// Owns the conversion of stored records to the fields of the API. Adds nothing that neither entry nor payload holds, except
// memory_query and memory_results, which follow from request and response. A record that cannot be read must never make a list fail.

import { successCode } from "../platform/errors.ts";
import { isObject, type Json, type JsonObject, objectsIn, textIn } from "../platform/json/json.ts";
import { memoryAuditFields } from "./memory-fields.ts";
import type { StoredRecord } from "./record.ts";
import type { AuditRecord, AuditRecordDetail, ExportedFields } from "./record-schema.ts";
import { isOwn } from "./verify/own-records.ts";

/** For a list. Fields of an entry or payload that cannot be read are null, 0 or empty; verification reports such a record. */
export function toAuditRecord(record: StoredRecord, showHash: boolean): AuditRecord {
  const parsed = { entry: parseObject(record.entry) ?? {}, payload: parseObject(record.payload) ?? {} };
  return toListFields(record, parsed, showHash);
}

/**
 * For one record: as toAuditRecord, with the details and who sent the call.
 * @param payload its payload; absent: the one that the record has
 */
export function toAuditRecordDetail(
  record: StoredRecord,
  showHash: boolean,
  payload: JsonObject = parseObject(record.payload) ?? {},
): AuditRecordDetail {
  const entry = record.members ?? parseObject(record.entry) ?? {};
  return {
    ...toExported(record, { entry, payload }, showHash),
    os_uid: numberOf(payload.os_uid),
    os_user: textIn(payload.os_user),
    sudo_user: textIn(payload.sudo_user),
    administration_key_id: textIn(payload.administration_key_id),
    session_id: textIn(payload.session_id),
    token_id: textIn(payload.token_id),
    performed_for: textIn(payload.performed_for),
    reason: reasonIn(payload),
    erased_places: [...record.erased],
    on_behalf_of: textIn(payload.on_behalf_of),
  };
}

/** With the details, for an export. @throws Error when entry or payload cannot be read: null would then be a wrong value. */
export function toExportedRecord(record: StoredRecord, showHash: boolean): ExportedFields {
  const { entry, payload, removal } = record;
  const parsed = { entry: parseObject(entry), payload: removal === null ? parseObject(payload) : {} };
  if (parsed.entry === null) throw new Error("its entry is not a JSON object");
  if (parsed.payload === null) throw new Error("its payload is not a JSON object");
  return toExported(record, { entry: parsed.entry, payload: parsed.payload }, showHash);
}

/** A record that a call leaves beside its own has it by itself. */
function reasonIn({
  reason = null,
  request_body: body,
  request_parameters: parameters,
}: JsonObject): string | null {
  const said = [reason, ...[body, parameters].map((each) => (isObject(each) ? (each.reason ?? null) : null))];
  return said.map(textIn).find((text) => text !== null) ?? null;
}

interface ParsedRecord {
  readonly entry: JsonObject;
  readonly payload: JsonObject;
}

/** Null for what is no JSON object: verification reports the record. */
export function parseObject(json: string | null): JsonObject | null {
  try {
    const value: unknown = json === null ? null : JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function toListFields(
  record: StoredRecord,
  { entry, payload }: ParsedRecord,
  showHash: boolean,
): AuditRecord {
  const numbers = isObject(entry.numbers) ? entry.numbers : {};
  const status = numberOf(entry.status) ?? 0;
  const code = numberOf(entry.code);
  return {
    id: textIn(entry.id) ?? "",
    action: textIn(entry.action) ?? "",
    model_id: textIn(payload.model_id),
    project_id: textIn(entry.project),
    gateway_id: textIn(payload.gateway_id),
    ip_address: textIn(payload.ip_address),
    user_agent: textIn(payload.user_agent),
    http_status: status,
    is_success: status >= 200 && status <= 299,
    is_cache_hit: numbers.is_cache_hit === true,
    error_code: code === successCode ? null : code,
    error_msg: textIn(payload.error_msg),
    duration: numberOf(numbers.duration),
    credits_consumed: numberOf(numbers.credits_consumed) ?? 0,
    balance_consumed_usd: numberOf(numbers.balance_consumed_usd) ?? 0,
    tokens: (numbers.tokens ?? null) as AuditRecord["tokens"],
    metadata: payload.metadata ?? null,
    hash: showHash ? record.hash : null,
    created_at: textIn(entry.at) ?? "",
    key_id: textIn(entry.key),
    seq: record.seq,
    memory_id: textIn(entry.memory),
    redacted: record.removal === "redacted",
    payload_expired: record.removal === "expired",
    performed: isOwn({
      action: textIn(entry.action) ?? "",
      project: textIn(entry.project),
      isPerformed: entry.performed === true,
    }),
  };
}

function toExported(record: StoredRecord, parsed: ParsedRecord, showHash: boolean): ExportedFields {
  const { payload } = parsed;
  const list = toListFields(record, parsed, showHash);
  const { key_id, seq, memory_id, redacted, payload_expired, performed, ...fields } = list;
  const request = isObject(payload.request_body) ? payload.request_body : null;
  const response = isObject(payload.response_body) ? payload.response_body : null;
  const query = request === null ? null : memoryAuditFields(list.action).query(request);
  return {
    ...fields,
    request_body: request,
    response_body: response,
    input_content: payload.input_content ?? null,
    output_content: payload.output_content ?? null,
    rag_query: payload.rag_query ?? null,
    rag_results: payload.rag_results ?? null,
    memory_query: payload.memory_query ?? query,
    memory_results: payload.memory_results ?? (list.is_success ? resultsOf(list, payload) : null),
    key_id,
    seq,
    memory_id,
    redacted,
    payload_expired,
    request_parameters: payload.request_parameters ?? null,
    transport: textIn(payload.transport),
    client_name: textIn(payload.client_name),
    performed,
  };
}

/** Of a successful call. The details of a refusal are not results. */
function resultsOf({ action, memory_id }: AuditRecord, payload: JsonObject) {
  const { request_body: request, response_body: response, deleted_memory: deleted } = payload;
  const { deleted_memories: all } = payload;
  return memoryAuditFields(action).results({
    data: isObject(response) ? (response.data ?? null) : null,
    memoryId: memory_id,
    body: isObject(request) ? request : null,
    deleted: isObject(deleted) ? deleted : null,
    deletedMemories: objectsIn(all),
  });
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}
