// Owns records that a gateway or RAG service of the project appends about its own operations. The server sets position, identifier,
// time, project, key and hash; the client must never set them.

import { type TSchema, Type } from "@sinclair/typebox";
import {
  auditRecordDetail,
  exampleDetail,
  inputContent,
  outputContent,
  tokens,
} from "../../../audit/record-schema.ts";
import { toAuditRecordDetail } from "../../../audit/record-view.ts";
import { memoryResult, ragResult } from "../../../audit/result-items.ts";
import { isReserved, reservedActions } from "../../../audit/verify/own-records.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { Json, JsonObject } from "../../../platform/json/json.ts";
import { appendedItemsMax, appendedTextsMax } from "../../../platform/limits.ts";
import { Action, Fields, Flag, jsonObject, Nullable, Text } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

const name = (description: string) => Type.Optional(Nullable(Text({ maxLength: 256, description })));
const amount = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1e15, description }));
const json = (description: string) =>
  Type.Optional(Type.Unsafe<Json>(Type.Union([jsonObject, Type.Null()], { description })));
const texts = (description: string) =>
  Type.Optional(Nullable(Type.Array(Type.String(), { maxItems: appendedTextsMax, description })));
const items = (item: TSchema, description: string) =>
  Type.Optional(Type.Unsafe<Json>(Nullable(Type.Array(item, { maxItems: appendedItemsMax, description }))));

export const appendRecord = projectOperation({
  name: "audit.append",
  summary: "Append an audit record",
  description:
    "Appends a record of an operation of a gateway or RAG service to the project's ledger. The server sets id, project_id, hash and created_at. Actions that begin with memory., audit., key. or project. are reserved.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  permission: "audit.write",
  forSubjects: true,
  feature: "audit",
  success: 201,
  input: Fields({
    action: Action({
      description: "Dotted name in lower case, such as gateway.chat.",
      not: { pattern: reservedActions },
    }),
    http_status: Type.Integer({ minimum: 100, maximum: 599, description: "HTTP status of the operation." }),
    model_id: name("Name of the language model."),
    gateway_id: name("Identifier of the gateway."),
    ip_address: name("IP address of the gateway's caller."),
    user_agent: name("User-Agent of the gateway's caller."),
    is_cache_hit: Flag("Whether the gateway answered from its cache."),
    error_code: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, maximum: 1e9, description: "The gateway's error code." })),
    ),
    error_msg: Type.Optional(
      Nullable(Text({ maxLength: 10_000, description: "The gateway's error message." })),
    ),
    duration: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1e12, description: "Duration in milliseconds." })),
    ),
    credits_consumed: amount("Number of credits used."),
    balance_consumed_usd: amount("Balance used, in US dollars."),
    tokens: Type.Optional(Nullable(tokens)),
    metadata: json("Your own markers."),
    request_body: json("The whole request body."),
    response_body: json("The whole response body."),
    input_content: Type.Optional(Type.Unsafe<Json>(inputContent)),
    output_content: Type.Optional(Type.Unsafe<Json>(outputContent)),
    rag_query: texts("The query and its expansions."),
    rag_results: items(ragResult, "The documents that were found."),
    memory_query: texts("Query texts of the memory search."),
    memory_results: items(memoryResult, "Memories that were used."),
  }),
  output: auditRecordDetail,
  example: {
    input: {
      action: "gateway.chat",
      http_status: 200,
      model_id: "llama-3.3-70b",
      gateway_id: "edge-1",
      duration: 812.5,
      tokens: { prompt_tokens: 420, completion_tokens: 88, total_tokens: 508 },
    },
    data: exampleDetail,
  },

  async prepare(input) {
    if (isReserved(input.action)) {
      throw new Refusal(
        1400,
        `Action "${input.action}" is a reserved name. Choose a name such as gateway.chat.`,
        {
          field: "action",
          reason: "is reserved",
        },
      );
    }
  },

  async apply(_transaction, input, _prepared, { plan }) {
    const {
      action,
      http_status,
      error_code,
      duration,
      credits_consumed,
      balance_consumed_usd,
      is_cache_hit,
      ...rest
    } = input;
    const { tokens: usage, ...payload } = rest;
    const isSuccess = http_status >= 200 && http_status <= 299;
    const numbers: JsonObject = {
      duration: duration ?? null,
      credits_consumed: credits_consumed ?? 0,
      balance_consumed_usd: balance_consumed_usd ?? 0,
      is_cache_hit: is_cache_hit ?? false,
      ...(usage ? { tokens: usage } : {}),
    };
    const code = error_code ?? (isSuccess ? successCode : null);
    return {
      record: { action, status: http_status, code, numbers, payload: payload as JsonObject },
      present: (record, recorded) => toAuditRecordDetail(record, plan.hash, recorded),
    };
  },
});
