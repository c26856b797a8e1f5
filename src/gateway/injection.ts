// Owns the injection of a request: which memories are asked for, within which time, and what happens without an answer. Must never read a
// memory by itself: another operation does, for the same caller, with a record of its own.

import { dataOf } from "../calls/answer.ts";
import type { Preparation } from "../calls/operation.ts";
import { Refusal, successCode, unavailable } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { memoryAuditFields } from "../memory/audit-fields.ts";
import { injectMemories } from "../memory/inject.ts";
import { type DividedPrompt, dividePrompt } from "../memory/prompt.ts";
import type { ChangedRequest, ChatRequest } from "./dialects/dialect.ts";
import type { MemoryMiss, MemoryOutcome } from "./memory-outcomes.ts";
import type { UpstreamMemory } from "./upstream.ts";

/** "found": the prompt is known, and may be empty. "skipped": nobody wants memory. "failed": it was not found in time. */
export interface Injection {
  readonly outcome: "found" | "skipped" | "failed";
  readonly prompt: DividedPrompt;
  /** Id of the record of the injection; null: there is none yet. */
  readonly recordId: string | null;
  /** Null: only rules were asked for, or nothing. */
  readonly query: string | null;
  /** The answer of the injection. */
  readonly data: JsonObject;
  /** Why it failed; null: it did not. */
  readonly fault: string | null;
}

const emptyPrompt: DividedPrompt = { rules: "", reference: "" };
const skipped: Injection = {
  outcome: "skipped",
  prompt: emptyPrompt,
  recordId: null,
  query: null,
  data: {},
  fault: null,
};

type Asked = Pick<ChatRequest, "query" | "hasRules" | "hasReference">;

/** @throws Refusal 1503 without memory in time, if the request must not be sent without */
export async function findMemory(
  preparation: Preparation,
  request: Asked,
  memory: UpstreamMemory,
): Promise<Injection> {
  const { caller, plan, memoryOutcomes: outcomes } = preparation;
  const skip = (outcome: MemoryOutcome): Injection => {
    outcomes.count(outcome);
    return skipped;
  };
  if (!memory.isOn) return skip("off");
  const input = toInput(request, memory);
  if (input === null) return skip("present");
  const mayRead = caller.key.permissions.includes("memory.read") && plan.memoryLimit !== 0;
  if (!mayRead && memory.failure === "fail_open") return skip("not_permitted");
  const query = typeof input.query === "string" ? input.query : null;
  const failed = (miss: MemoryMiss, fault: string, recordId: string | null = null): Injection => {
    const record = preparation.exchange?.recordId;
    outcomes.count(miss, { record, project: caller.project.id, key: caller.key.id, cause: fault });
    if (memory.failure === "fail_closed") throw withoutMemory(fault, recordId);
    return { ...skipped, outcome: "failed", recordId, query, fault };
  };
  const performed = preparation.perform(injectMemories, input, memory.deadlineMs).catch(() => null);
  const answer = await preparation.within(memory.deadlineMs, performed);
  if (answer === undefined) return failed("late", `It was not complete after ${memory.deadlineMs} ms.`);
  if (answer === null) return failed("failed", "The injection could not be performed.");
  const { code, message, recordId = null } = answer;
  if (code !== successCode) return failed("failed", message, recordId);
  outcomes.count("found");
  const data = dataOf(answer);
  const prompt = dividePrompt(typeof data.prompt === "string" ? data.prompt : "");
  return { outcome: "found", prompt, recordId, query, data, fault: null };
}

/** Null: the request contains everything already. Without words of the user, or with facts in it, only rules are asked for. */
function toInput({ query, hasRules, hasReference }: Asked, memory: UpstreamMemory): JsonObject | null {
  const { maxCharacters, minSimilarity, tags } = memory;
  const wanted: JsonObject = tags === null || tags.length === 0 ? {} : { tags: [...tags] };
  if (query === null || hasReference) return hasRules ? null : { ...wanted, max_characters: 0 };
  return {
    ...wanted,
    query,
    ...(maxCharacters === null ? {} : { max_characters: maxCharacters }),
    ...(minSimilarity === null ? {} : { min_similarity: minSimilarity }),
  };
}

function withoutMemory(fault: string, recordId: string | null): Refusal {
  const { message, data, retryAfterSeconds } = unavailable(
    `The memory for this request was not found, and it must not be sent without. ${fault} Retry, or send Memledger-Memory-Failure: open.`,
  );
  const details = { memory: "failed", ...(recordId === null ? {} : { injection: recordId }) };
  return new Refusal(1503, message, data, retryAfterSeconds, details);
}

/** The memories that are in the request now, in the form of audit records. */
export function memoriesPutIn(
  { data }: Injection,
  { hasPutRules, hasPutReference }: Pick<ChangedRequest, "hasPutRules" | "hasPutReference">,
): readonly Json[] {
  const put: JsonObject = {
    rules: hasPutRules ? (data.rules ?? []) : [],
    results: hasPutReference ? (data.results ?? []) : [],
  };
  const call = { data: put, memoryId: null, body: null, deleted: null, deletedMemories: [] };
  const results = memoryAuditFields(injectMemories.name).results(call) ?? [];
  return results.map((result) => ({ ...result })).filter(isObject);
}
