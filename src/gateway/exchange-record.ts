// Owns what the record of an exchange says: its entry and its content. Must never contain a key, and after an erasure no content of a memory
// and no answer, because the erased text could be in them.

import type { ForeseenEntry } from "../calls/exchange.ts";
import { type Refusal, successCode } from "../errors.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { AssembledAnswer } from "./answer/assembled.ts";
import type { Injection } from "./injection.ts";
import type { KeptRequest } from "./kept-request.ts";
import { errorMaxCharacters } from "./limits.ts";
import { costUsd } from "./model-price.ts";
import type { Relayed } from "./relay.ts";
import type { RequestSettings } from "./request-settings.ts";
import type { Upstream } from "./upstream.ts";
import { codeOf, explainFault } from "./upstream-refusals.ts";

/** What happened to a request that was passed on. */
export interface PassedOn {
  readonly upstream: Upstream;
  readonly model: string;
  readonly request: KeptRequest;
  readonly settings: Pick<RequestSettings, "memory" | "remembers">;
  readonly injection: Injection;
  /** Those that are in the request now. */
  readonly memories: readonly Json[];
  /** Status of the upstream. */
  readonly status: number;
  readonly relayed: Relayed;
  readonly answer: AssembledAnswer;
  /** The record of the answer that was repeated; null: the upstream has answered. */
  readonly repeats: string | null;
}

export function toEntry({ upstream, model, status, relayed, answer, repeats }: PassedOn): ForeseenEntry {
  const { fault } = relayed;
  const code = fault !== null ? codeOf(fault) : status < 400 ? successCode : 1502;
  const isRepeated = repeats !== null;
  const { tokens, usage } = answer;
  const usd = tokens === null || isRepeated ? null : costUsd(upstream.prices, model, tokens, usage);
  return {
    status: relayed.end === "broken off by the client" ? 499 : status,
    code,
    numbers: {
      is_cache_hit: isRepeated,
      ...(tokens === null || isRepeated ? {} : { tokens: { ...tokens } }),
      ...(usd === null ? {} : { balance_consumed_usd: usd }),
    },
  };
}

export function toDetails(passed: PassedOn, isErasedMeanwhile: boolean): JsonObject {
  const { upstream, model, request, injection, memories, answer, relayed, repeats } = passed;
  const { body, input } = request();
  const erased = isErasedMeanwhile ? { left_out: "the answer and the memories, because of an erasure" } : {};
  const { error, output } = answer;
  return {
    ...describeTarget(upstream, answer.model ?? model),
    ...withMessage(passed),
    request_body: body,
    input_content: input,
    ...describeInjection(injection, isErasedMeanwhile ? null : memories),
    ...(isErasedMeanwhile || output === null ? {} : { output_content: output }),
    ...(isErasedMeanwhile || error === null ? {} : { response_body: error }),
    answer: describeAnswer(answer, relayed),
    ...(repeats === null ? {} : { repeats }),
    ...erased,
  };
}

/** What is known of a request that was refused. */
export function describeTarget(upstream: Upstream | null, model: string): JsonObject {
  return { model_id: model.toWellFormed(), ...(upstream === null ? {} : { gateway_id: upstream.name }) };
}

/** @param memories null: their contents are left out */
export function describeInjection(
  { outcome, recordId, query, fault }: Injection,
  memories: readonly Json[] | null,
): JsonObject {
  return {
    memory: outcome === "found" ? "injected" : outcome,
    ...(recordId === null ? {} : { injection: recordId }),
    ...(fault === null ? {} : { memory_error: fault }),
    ...(query === null ? {} : { memory_query: [query] }),
    ...(outcome === "found" && memories !== null ? { memory_results: memories } : {}),
  };
}

export function withRequest(refusal: Refusal, request: KeptRequest): Refusal {
  const { body, input } = request();
  return refusal.withDetails({ request_body: body, input_content: input });
}

function withMessage({ upstream, status, relayed: { fault }, answer }: PassedOn): JsonObject {
  if (fault !== null) return { error_msg: explainFault(fault, upstream.name) };
  const said = messageOf(answer.error);
  if (status < 400) return said === null ? {} : { error_msg: said };
  return { error_msg: said ?? `The upstream "${upstream.name}" answered with the status ${status}.` };
}

function describeAnswer(answer: AssembledAnswer, { end, fault }: Relayed): JsonObject {
  const { id, finishReason, usage, isComplete, isTruncated, skippedEvents } = answer;
  return {
    end,
    has_end: isComplete,
    ...(fault?.systemCode === null || fault === null ? {} : { fault: fault.systemCode }),
    ...(id === null ? {} : { id }),
    ...(finishReason === null ? {} : { finish_reason: finishReason }),
    ...(usage === null ? {} : { usage }),
    ...(isTruncated ? { is_truncated: true } : {}),
    ...(skippedEvents === 0 ? {} : { skipped_events: skippedEvents }),
  };
}

function messageOf(error: JsonObject | null): string | null {
  const message = error?.message;
  if (typeof message !== "string" || message === "") return null;
  return message.slice(0, errorMaxCharacters).toWellFormed();
}
