// Owns the schema of an audit record in the API: its fields, their descriptions, and the examples of the reference.

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Json } from "../platform/json/json.ts";
import { Count, Fields, jsonObject, Nullable, Timestamp } from "../platform/schema/schema.ts";
import { memoryResult, ragResult } from "./result-items.ts";

const text = (description: string) => Nullable(Type.String({ description }));
const open = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Unsafe<Json>(Type.Union([schema, Type.Null()], { description }));

const kind = (description: string) => Type.Optional(Count(description));

export const tokens = Fields(
  {
    prompt_tokens: Type.Integer({ minimum: 0 }),
    completion_tokens: Type.Integer({ minimum: 0 }),
    total_tokens: Type.Integer({ minimum: 0 }),
    cached_tokens: kind("Of the prompt: read from the provider's cache. Absent if not reported."),
    cache_write_tokens: kind("Of the prompt: written to the provider's cache. Absent if not reported."),
    reasoning_tokens: kind("Of the completion: reasoning. Absent if not reported."),
  },
  { title: "Tokens", description: "Tokens of a gateway operation." },
);

const listFields = {
  id: Type.String({ description: "Audit record identifier, 32 hexadecimal characters." }),
  action: Type.String({ description: "Name of the operation, such as memory.create." }),
  model_id: text("Name of the language model that was used."),
  project_id: text("Project of the record."),
  gateway_id: text("Gateway that appended the record."),
  ip_address: text("Address of the caller."),
  user_agent: text("User-Agent of the caller."),
  http_status: Type.Integer({ description: "HTTP status of the operation." }),
  is_success: Type.Boolean({ description: "Whether the status is 200 to 299." }),
  is_cache_hit: Type.Boolean({ description: "Whether a gateway answered from its cache." }),
  error_code: Nullable(Type.Integer({ description: "Error code; null on success." })),
  error_msg: text("Error message; null on success."),
  duration: Nullable(
    Type.Number({ minimum: 0, description: "Milliseconds from the arrival of the call to its record." }),
  ),
  credits_consumed: Type.Number({ description: "Number of credits used." }),
  balance_consumed_usd: Type.Number({ description: "Balance used, in US dollars." }),
  tokens: Nullable(tokens),
  metadata: open(jsonObject, "Markers of the caller, from the header X-Audit-Metadata."),
  hash: text(
    "Hash of the entry, which also covers the hash of the previous record; business and custom plans only.",
  ),
  created_at: Timestamp({ description: "Time of the record." }),
};

/** Fields that the contract does not have. In exports they follow those of the contract, so that columns keep their positions. */
const listAdditions = {
  key_id: text("API key of the call; null when the call had no known key."),
  seq: Type.Integer({ minimum: 1, description: "Position in the project's chain, from 1." }),
  memory_id: text("The memory that the call named, also when no memory has this id."),
  redacted: Type.Boolean({
    description: "Whether the operator has erased the payload; if so, the fields from the payload are null.",
  }),
  payload_expired: Type.Boolean({
    description:
      "Whether payload retention has removed the payload; if so, the fields from the payload are null.",
  }),
};

export const inputContent = Type.Union([jsonObject, Type.Array(Type.Any()), Type.Null()], {
  description: "Extracted input, such as chat messages, or the text given to an extraction.",
});
export const outputContent = Type.Union([Type.String(), jsonObject, Type.Null()], {
  description: "Extracted output, such as the answer of a language model.",
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
    "Memories that were found, created, listed, read, updated or deleted; null for a refused call.",
  ),
};
const detailAdditions = {
  request_parameters: open(
    jsonObject,
    "Parameters of the path and the query, such as the id of a downloaded export; the id of a memory is in memory_id.",
  ),
  transport: text("How the call arrived, such as mcp; null for calls over HTTP."),
  client_name: text("Name and version of the client program, as reported by the client."),
};

/** Behind those, for the same reason. */
const laterAdditions = {
  performed: Type.Boolean({
    description:
      "Whether this server has performed the operation itself; false: a client has appended the record.",
  }),
};

export const auditRecord = Fields(
  { ...listFields, ...listAdditions, ...laterAdditions },
  { title: "AuditRecord" },
);
/** A record in an export. Its columns must not change. */
export const exportedFields = Fields({
  ...listFields,
  ...detailFields,
  ...listAdditions,
  ...detailAdditions,
  ...laterAdditions,
});

/** Who sent the call, beside its key. */
const senderFields = {
  os_uid: Nullable(
    Type.Integer({
      description:
        "Number of the user of the server's machine who ran the command, used the local key, or asked for the sign-in link of the session, as reported; null for other calls.",
    }),
  ),
  os_user: text("Name of this user, as reported."),
  sudo_user: text("Name of the user who ran sudo, as reported."),
  administration_key_id: text("The administration key with which the call was sent; null for other calls."),
  session_id: text("The session of the console in which the call was sent; null for other calls."),
  token_id: text("The token with which the call was sent; null for other calls."),
  performed_for: text(
    "Name of the operation that had this one performed for its caller; null for other calls.",
  ),
};
const onBehalfOf = {
  on_behalf_of: text(
    "The person for whom the client said that it acted, from the header Memledger-On-Behalf-Of. memledger has not checked it. Null: nobody was named, or the name was erased.",
  ),
};
const reason = {
  reason: text("Why the call was made, as its caller has said it; null: no reason was given."),
};
const erasedPlaces = {
  erased_places: Type.Array(Type.String(), {
    description:
      "JSON pointers of what the operator has erased of the payload, while the rest was kept: these values are null.",
  }),
};

export const auditRecordDetail = Fields(
  { ...exportedFields.properties, ...senderFields, ...reason, ...erasedPlaces, ...onBehalfOf },
  { title: "AuditRecordDetail" },
);
export type AuditRecord = Static<typeof auditRecord>;
export type ExportedFields = Static<typeof exportedFields>;
export type AuditRecordDetail = Static<typeof auditRecordDetail>;

export const recordFieldNames = Object.keys(exportedFields.properties);

export const exampleRecord = {
  id: "019a2b3c5f1e7a608192a3b4c5d6e7f8",
  action: "gateway.chat",
  model_id: "llama-3.3-70b",
  project_id: "019a2b3c00007a608192a3b4c5d6e7f8",
  gateway_id: "edge-1",
  ip_address: null,
  user_agent: null,
  http_status: 200,
  is_success: true,
  is_cache_hit: false,
  error_code: null,
  error_msg: null,
  duration: 812.5,
  credits_consumed: 0,
  balance_consumed_usd: 0,
  tokens: { prompt_tokens: 420, completion_tokens: 88, total_tokens: 508 },
  metadata: null,
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  created_at: "2026-11-21T09:30:00.000Z",
  key_id: "019a2b3c0a1b7c2d8e3f405162738495",
  seq: 1284,
  memory_id: null,
  redacted: false,
  payload_expired: false,
  performed: false,
} as const satisfies AuditRecord;

export const exampleDetail = {
  ...exampleRecord,
  request_body: null,
  response_body: null,
  input_content: null,
  output_content: null,
  rag_query: null,
  rag_results: null,
  memory_query: null,
  memory_results: null,
  request_parameters: null,
  transport: null,
  client_name: null,
  os_uid: null,
  os_user: null,
  sudo_user: null,
  administration_key_id: null,
  session_id: null,
  token_id: null,
  performed_for: null,
  reason: null,
  erased_places: [],
  on_behalf_of: null,
} as const satisfies AuditRecordDetail;
