// Owns what the record of an exchange says: its entry and its content. Must never contain a key, and after an erasure no content of
// the request, a memory or the answer, because the erased text could be in them.

import { leftOut } from "../../../audit/parts/prepared-members.ts";
import type { AssembledAnswer } from "../../../gateway/answer/assembled.ts";
import { tokenKindsIn } from "../../../gateway/answer/token-counts.ts";
import { errorMaxCharacters } from "../../../gateway/limits.ts";
import { costUsd } from "../../../gateway/model-price.ts";
import type { RequestSettings } from "../../../gateway/request-settings.ts";
import type { Upstream } from "../../../gateway/upstream.ts";
import { codeOf, explainFault } from "../../../gateway/upstream-refusals.ts";
import { errorStatus, successCode } from "../../../platform/errors.ts";
import type { Json, JsonObject } from "../../../platform/json/json.ts";
import type { PrecomputedEntry } from "../../contract/exchange.ts";
import type { Injection } from "./injection.ts";
import type { Relayed } from "./relay.ts";

/** What happened to a request that was passed on. */
export interface PassedOn {
  readonly upstream: Upstream;
  /** Null: the request names none. */
  readonly model: string | null;
  readonly settings: Pick<RequestSettings, "memory" | "remembers">;
  /** As of ChatRequest. */
  readonly isConversationTask: boolean;
  readonly injection: Injection;
  /** Those that are in the request now, in the form of audit records. */
  readonly memories: readonly Json[];
  /** As of describeTold. */
  readonly told: JsonObject;
  /** Status of the upstream. */
  readonly status: number;
  readonly relayed: Relayed;
  readonly answer: AssembledAnswer;
}

export function toEntry({ upstream, model, status, relayed, answer }: PassedOn): PrecomputedEntry {
  const code = outcomeOf({ status, relayed, answer });
  const { tokens, usage } = answer;
  const named = model ?? answer.model;
  const usd = tokens === null || named === null ? null : costUsd(upstream.prices, named, tokens, usage);
  return {
    // What the client got was no success, although its status was one.
    status: code === successCode || status >= 400 ? status : errorStatus[code],
    code,
    numbers: {
      is_cache_hit: false,
      ...(tokens === null ? {} : { tokens: { ...tokens, ...tokenKindsIn(usage) } }),
      ...(usd === null ? {} : { balance_consumed_usd: usd }),
    },
  };
}

type Ended = Pick<PassedOn, "status" | "relayed" | "answer">;

function outcomeOf({ status, relayed, answer }: Ended): PrecomputedEntry["code"] {
  if (relayed.fault !== null) return codeOf(relayed.fault);
  return status < 400 && answer.error === null && !lacksEnd({ relayed, answer }) ? successCode : 1502;
}

/** A stream that the upstream has closed as if it were complete. */
function lacksEnd({ relayed, answer }: Pick<Ended, "relayed" | "answer">): boolean {
  return relayed.isStream && !answer.isComplete;
}

export function toDetails(passed: PassedOn, isErasedMeanwhile: boolean): JsonObject {
  const { upstream, model, injection, memories, told, answer } = passed;
  const erased = isErasedMeanwhile ? { left_out: leftOut } : {};
  const { error, output } = answer;
  return {
    ...describeTarget(upstream, answer.model ?? model),
    ...withMessage(passed, isErasedMeanwhile),
    ...describeInjection(
      isErasedMeanwhile ? { ...injection, query: null } : injection,
      isErasedMeanwhile ? null : memories,
    ),
    ...(isErasedMeanwhile ? {} : told),
    ...(isErasedMeanwhile || output === null ? {} : { output_content: output }),
    ...(isErasedMeanwhile || error === null ? {} : { response_body: error }),
    answer: describeAnswer(passed),
    ...erased,
  };
}

/** The details of a refusal, without everything in which an erased text could be. */
export function withoutErased({ told: _, memory_query: __, ...details }: JsonObject): JsonObject {
  return { ...details, left_out: leftOut };
}

/** What is known of a request that was refused. */
export function describeTarget(upstream: Upstream | null, model: string | null): JsonObject {
  return {
    ...(model === null ? {} : { model_id: model.toWellFormed() }),
    ...(upstream === null ? {} : { gateway_id: upstream.name }),
  };
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

function withMessage(
  { upstream, status, relayed, answer }: PassedOn,
  isErasedMeanwhile: boolean,
): JsonObject {
  if (relayed.fault !== null) return { error_msg: explainFault(relayed.fault, upstream.name) };
  if (outcomeOf({ status, relayed, answer }) === successCode) return {};
  const quoted = isErasedMeanwhile ? null : messageOf(answer.error);
  return { error_msg: quoted ?? explainAnswer(upstream.name, { status, answer }) };
}

function explainAnswer(upstream: string, { status, answer }: Pick<Ended, "status" | "answer">): string {
  if (status >= 400) return `The upstream "${upstream}" answered with the status ${status}.`;
  if (answer.error !== null) return `The upstream "${upstream}" answered with an error.`;
  return `The upstream "${upstream}" ended its answer before it was complete. Retry, and read its log.`;
}

function describeAnswer(passed: PassedOn): JsonObject {
  const { answer, status, relayed } = passed;
  const { fault } = relayed;
  const end =
    fault === null && lacksEnd(passed) && answer.error === null ? "broken off by the upstream" : relayed.end;
  const { id, finishReason, usage, isComplete, isTruncated, skippedEvents } = answer;
  return {
    end,
    has_end: isComplete,
    ...(toEntry(passed).status === status ? {} : { upstream_status: status }),
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
