// Owns the form of an audit record towards clients: entry and payload become the fields of the contract. Adds nothing that
// neither of them holds, but for what follows from request and answer (memory_query, memory_results).

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { successCode } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { memoryAuditFields } from "../memory/audit-fields.ts";
import { Fields, jsonObject, Nullable, Timestamp } from "../schema/schema.ts";
import type { StoredRecord } from "./record.ts";
import { memoryResult, ragResult } from "./result-items.ts";

const text = (description: string) => Nullable(Type.String({ description }));
const open = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Unsafe<Json>(Type.Union([schema, Type.Null()], { description }));

export const tokens = Fields(
  {
    prompt_tokens: Type.Integer({ minimum: 0 }),
    completion_tokens: Type.Integer({ minimum: 0 }),
    total_tokens: Type.Integer({ minimum: 0 }),
  },
  { title: "Tokens", description: "Tokens of a gateway operation." },
);

const listFields = {
  id: Type.String({ description: "Audit record identifier, 32 hexadecimal characters." }),
  action: Type.String({ description: "What was done, such as memory.create." }),
  model_id: text("Language model that was used."),
  project_id: text("Project of the record."),
  gateway_id: text("Gateway that appended the record."),
  ip_address: text("Address of the caller."),
  user_agent: text("User-Agent of the caller."),
  http_status: Type.Integer({ description: "HTTP status of the operation." }),
  is_success: Type.Boolean({ description: "Whether the status is 200 to 299." }),
  is_cache_hit: Type.Boolean({ description: "Whether a gateway answered from its cache." }),
  error_code: Nullable(Type.Integer({ description: "Error code; null on success." })),
  error_msg: text("Error message; null on success."),
  duration: Nullable(Type.Number({ minimum: 0, description: "Milliseconds from arrival to record." })),
  credits_consumed: Type.Number({ description: "Credits that were used." }),
  balance_consumed_usd: Type.Number({ description: "Balance that was used, in US dollars." }),
  tokens: Nullable(tokens),
  metadata: open(jsonObject, "The caller's own markers, from the header X-Audit-Metadata."),
  hash: text("Hash of the entry, which chains it to the one before; business and custom plans only."),
  created_at: Timestamp({ description: "Time of the record." }),
};

/** Beyond the fields of the contract; in exports they come after these, so that columns keep their places. */
const listAdditions = {
  key_id: text("API key of the call; null: none that is known."),
  seq: Type.Integer({ minimum: 1, description: "Position in the project's chain, from 1." }),
  memory_id: text("The memory that the call named, also where there is none with this id."),
  redacted: Type.Boolean({
    description: "Whether the operator has erased the payload; then the fields that come from it are null.",
  }),
  payload_expired: Type.Boolean({
    description:
      "Whether payload retention has removed the payload; then the fields that come from it are null.",
  }),
};

export const inputContent = Type.Union([jsonObject, Type.Array(Type.Any()), Type.Null()], {
  description: "Extracted input, such as chat messages.",
});
export const outputContent = Type.Union([Type.String(), jsonObject, Type.Null()], {
  description: "Extracted output, such as the answer of a model.",
});
const detailFields = {
  request_body: open(jsonObject, "The whole request body."),
  response_body: open(jsonObject, "The whole response body."),
  input_content: Type.Unsafe<Json>(inputContent),
  output_content: Type.Unsafe<Json>(outputContent),
  rag_query: open(Type.Array(Type.String()), "The query and its expansions."),
  rag_results: open(Type.Array(ragResult), "Summaries of the documents that were found."),
  memory_query: open(Type.Array(Type.String()), "The text that was stored or searched for."),
  memory_results: open(
    Type.Array(memoryResult),
    "Memories that were found, created, listed, read, updated or deleted; null for a call that was refused.",
  ),
};
const detailAdditions = {
  request_parameters: open(
    jsonObject,
    "Parameters of the path and the query, such as the export that was downloaded; a memory is in memory_id.",
  ),
};

export const auditRecord = Fields({ ...listFields, ...listAdditions }, { title: "AuditRecord" });
export const auditRecordDetail = Fields(
  { ...listFields, ...detailFields, ...listAdditions, ...detailAdditions },
  { title: "AuditRecordDetail" },
);
export type AuditRecord = Static<typeof auditRecord>;
export type AuditRecordDetail = Static<typeof auditRecordDetail>;

export const recordFieldNames = Object.keys(auditRecordDetail.properties);

/** Payload members that appear under their own name. */
const ownPayloadFields = ["input_content", "output_content", "rag_query", "rag_results"] as const;

export function toAuditRecord(record: StoredRecord, showHash: boolean): AuditRecord {
  return toListFields(record, payloadOf(record), showHash);
}

function payloadOf({ payload }: StoredRecord): JsonObject {
  return payload === null ? {} : parseObject(payload);
}

function toListFields(record: StoredRecord, payload: JsonObject, showHash: boolean): AuditRecord {
  const entry = parseObject(record.entry);
  const numbers = isObject(entry.numbers) ? entry.numbers : {};
  const status = numberOf(entry.status) ?? 0;
  const code = numberOf(entry.code);
  return {
    id: textOf(entry.id) ?? "",
    action: textOf(entry.action) ?? "",
    model_id: textOf(payload.model_id),
    project_id: textOf(entry.project),
    gateway_id: textOf(payload.gateway_id),
    ip_address: textOf(payload.ip_address),
    user_agent: textOf(payload.user_agent),
    http_status: status,
    is_success: status >= 200 && status <= 299,
    is_cache_hit: numbers.is_cache_hit === true,
    error_code: code === successCode ? null : code,
    error_msg: textOf(payload.error_msg),
    duration: numberOf(numbers.duration),
    credits_consumed: numberOf(numbers.credits_consumed) ?? 0,
    balance_consumed_usd: numberOf(numbers.balance_consumed_usd) ?? 0,
    tokens: (numbers.tokens ?? null) as AuditRecord["tokens"],
    metadata: payload.metadata ?? null,
    hash: showHash ? record.hash : null,
    created_at: textOf(entry.at) ?? "",
    key_id: textOf(entry.key),
    seq: record.seq,
    memory_id: textOf(entry.memory),
    redacted: record.removal === "redacted",
    payload_expired: record.removal === "expired",
  };
}

export function toAuditRecordDetail(record: StoredRecord, showHash: boolean): AuditRecordDetail {
  const payload = payloadOf(record);
  const list = toListFields(record, payload, showHash);
  const { key_id, seq, memory_id, redacted, payload_expired, ...fields } = list;
  const trace = memoryAuditFields(list.action);
  const request = isObject(payload.request_body) ? payload.request_body : null;
  const response = isObject(payload.response_body) ? payload.response_body : null;
  const [input_content, output_content, rag_query, rag_results] = ownPayloadFields.map(
    (name) => payload[name] ?? null,
  );
  return {
    ...fields,
    ...{ request_body: request, response_body: response },
    ...({ input_content, output_content, rag_query, rag_results } as Pick<
      AuditRecordDetail,
      (typeof ownPayloadFields)[number]
    >),
    memory_query: payload.memory_query ?? (request === null ? null : trace.query(request)),
    memory_results: payload.memory_results ?? (list.is_success ? resultsOf(list, payload) : null),
    ...{
      key_id,
      seq,
      memory_id,
      redacted,
      payload_expired,
      request_parameters: payload.request_parameters ?? null,
    },
  };
}

/** Of a call that succeeded. The details of a refusal are not results. */
function resultsOf({ action, memory_id }: AuditRecord, payload: JsonObject) {
  const { response_body: response, deleted_memory: deleted } = payload;
  return memoryAuditFields(action).results({
    data: isObject(response) ? (response.data ?? null) : null,
    memoryId: memory_id,
    deleted: isObject(deleted) ? deleted : null,
  });
}

function parseObject(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new Error("a stored record is not an object");
  return value;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

export const exampleRecord = {
  ...{ id: "019a2b3c5f1e7a608192a3b4c5d6e7f8", action: "gateway.chat", model_id: "llama-3.3-70b" },
  ...{
    project_id: "019a2b3c00007a608192a3b4c5d6e7f8",
    gateway_id: "edge-1",
    ip_address: null,
    user_agent: null,
  },
  ...{ http_status: 200, is_success: true, is_cache_hit: false, error_code: null, error_msg: null },
  ...{ duration: 812.5, credits_consumed: 0, balance_consumed_usd: 0 },
  tokens: { prompt_tokens: 420, completion_tokens: 88, total_tokens: 508 },
  metadata: null,
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  created_at: "2026-11-21T09:30:00.000Z",
  ...{ key_id: "019a2b3c0a1b7c2d8e3f405162738495", seq: 1284, memory_id: null },
  ...{ redacted: false, payload_expired: false },
} as const satisfies AuditRecord;

export const exampleDetail = {
  ...exampleRecord,
  ...{ request_body: null, response_body: null, input_content: null, output_content: null },
  ...{ rag_query: null, rag_results: null, memory_query: null, memory_results: null },
  request_parameters: null,
} as const satisfies AuditRecordDetail;
