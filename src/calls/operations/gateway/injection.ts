// Owns the injection of a request: which memories are asked for, within which time, and what happens without an answer. Must never read a
// memory by itself: another operation does, for the same caller, with a record of its own.

import { memoryAuditFields } from "../../../audit/memory-fields.ts";
import type { ChangedRequest, Changes, ChatRequest } from "../../../gateway/dialects/dialect.ts";
import type { PutMemory } from "../../../gateway/injected-sections.ts";
import type { MemoryMiss, MemoryOutcome } from "../../../gateway/memory-outcomes.ts";
import type { UpstreamMemory } from "../../../gateway/upstream.ts";
import { memoryTypes } from "../../../memory/memory.ts";
import { fromOrigins, leadOf } from "../../../memory/origin.ts";
import { type Dated, dividePrompt, toPromptLine } from "../../../memory/search/prompt.ts";
import { Refusal, successCode, unavailable } from "../../../platform/errors.ts";
import { isObject, type JsonObject, objectsIn } from "../../../platform/json/json.ts";
import { dataOf } from "../../contract/answer.ts";
import type { Preparation } from "../../contract/operation.ts";
import { injectMemories } from "../search/inject.ts";
import { type EarlierSections, findEarlier } from "./earlier-sections.ts";

/** "found": the memories are known, and may be none. "skipped": nobody wants memory. "failed": they were not found in time. */
export interface Injection {
  readonly outcome: "found" | "skipped" | "failed";
  /** Those that are put in, in the order of their lines: what the request contains already is not among them. */
  readonly rules: readonly PutMemory[];
  readonly reference: readonly PutMemory[];
  /** Those that are put into earlier messages again. */
  readonly earlier: EarlierSections;
  /** Id of the record of the injection; null: there is none yet. */
  readonly recordId: string | null;
  /** Null: only rules were asked for, or nothing. */
  readonly query: string | null;
  /** AuditReader.erasures before anything was read. */
  readonly erasures: string;
  /** Why it failed; null: it did not. */
  readonly fault: string | null;
}

/** Nobody has asked for memory. */
export const nothingFound: Injection = {
  outcome: "skipped",
  rules: [],
  reference: [],
  earlier: { byTurn: new Map(), turn: null },
  recordId: null,
  query: null,
  erasures: "",
  fault: null,
};

type Asked = Pick<ChatRequest, "query" | "present" | "userTurns" | "lastTurn">;

/** @throws Refusal 1503 without memory in time, if the request must not be sent without */
export async function findMemory(
  preparation: Preparation,
  request: Asked,
  memory: UpstreamMemory,
): Promise<Injection> {
  const { caller, plan, store, memoryOutcomes: outcomes } = preparation;
  const skip = (outcome: MemoryOutcome): Injection => {
    outcomes.count(outcome);
    return nothingFound;
  };
  if (request.present === null) return nothingFound;
  if (!memory.isOn) return skip("off");
  const mayRead = caller.key.permissions.includes("memory.read") && plan.memoryLimit !== 0;
  if (!mayRead && memory.failure === "fail_open") return skip("not_permitted");
  const erasures = await store.audit.erasures(caller.project.id);
  const earlier = await findEarlier(preparation, request, erasures);
  const query = earlier.turn === null ? null : request.query;
  const failed = (miss: MemoryMiss, fault: string, recordId: string | null = null): Injection => {
    const record = preparation.exchange?.recordId;
    outcomes.count(miss, { record, project: caller.project.id, key: caller.key.id, cause: fault });
    if (memory.failure === "fail_closed") throw withoutMemory(fault, recordId);
    return { ...nothingFound, outcome: "failed", recordId, query, fault };
  };
  const input = toInput(query, memory);
  const performed = preparation.perform(injectMemories, input, memory.deadlineMs).catch(() => null);
  const answer = await preparation.within(memory.deadlineMs, performed);
  if (answer === undefined) return failed("late", `It was not complete after ${memory.deadlineMs} ms.`);
  if (answer === null) return failed("failed", "The injection could not be performed.");
  const { code, message, recordId = null } = answer;
  if (code !== successCode) return failed("failed", message, recordId);
  const found = toPutMemories(dataOf(answer));
  const again = new Set([...earlier.byTurn.values()].flat().map(lineOf));
  const { rules: presentRules, reference: present } = request.present;
  const rules = found.rules.filter((each) => !presentRules.has(lineOf(each)));
  const reference = found.reference.filter((each) => !present.has(lineOf(each)) && !again.has(lineOf(each)));
  const isAllThere = found.rules.length + found.reference.length > 0 && rules.length + reference.length === 0;
  outcomes.count(isAllThere ? "present" : "found");
  return { outcome: "found", rules, reference, earlier, recordId, query, erasures, fault: null };
}

/** Without words of the user, or with a section for them already, only rules are asked for. */
function toInput(query: string | null, { maxCharacters, minSimilarity, tags }: UpstreamMemory): JsonObject {
  const wanted: JsonObject = tags === null || tags.length === 0 ? {} : { tags: [...tags] };
  if (query === null) return { ...wanted, max_characters: 0 };
  return {
    ...wanted,
    query,
    ...(maxCharacters === null ? {} : { max_characters: maxCharacters }),
    ...(minSimilarity === null ? {} : { min_similarity: minSimilarity }),
  };
}

/**
 * The memories of an answer, facts before contexts, and oldest first, so that the same memories give the same bytes, whatever their scores are, and a new rule leaves
 * the beginning as it was.
 */
function toPutMemories(data: JsonObject): Record<"rules" | "reference", readonly PutMemory[]> {
  const rules = objectsIn(data.rules);
  const found = objectsIn(data.results).flatMap(({ memory }) => (isObject(memory) ? [memory] : []));
  const call = { data, memoryId: null, body: null, deleted: null, deletedMemories: [] };
  const results = memoryAuditFields(injectMemories.name).results(call) ?? [];
  const put = [...rules, ...found, ...objectsIn(data.neighbours)].map((memory, at) => ({
    id: String(memory.id),
    memory: toDated(memory),
    result: { ...results[at] },
  }));
  const sorted = (memories: readonly PutMemory[]) =>
    memories.toSorted(
      (a, b) =>
        memoryTypes.indexOf(a.memory.type) - memoryTypes.indexOf(b.memory.type) ||
        a.memory.createdAt - b.memory.createdAt ||
        (a.id < b.id ? -1 : 1),
    );
  return { rules: sorted(put.slice(0, rules.length)), reference: sorted(put.slice(rules.length)) };
}

function toDated({
  content,
  memory_type,
  created_at,
  updated_at,
  expires_at = null,
  origins,
  origin,
  lead,
}: JsonObject): Dated {
  return {
    content: String(content),
    type: memoryTypes.find((type) => type === memory_type) ?? "context",
    createdAt: Date.parse(String(created_at)),
    updatedAt: Date.parse(String(updated_at)),
    expiresAt: expires_at === null ? null : Date.parse(String(expires_at)),
    origins: fromOrigins(objectsIn(origins)),
    passage: origin === "conversation",
    lead: typeof lead === "string" ? leadOf(lead) : null,
  };
}

function lineOf({ memory }: PutMemory): string {
  return toPromptLine(memory).trimEnd();
}

/** What is put where. */
export function toChanges({ rules, reference, earlier }: Injection): Pick<Changes, "prompt" | "earlier"> {
  const prompt = dividePrompt([...rules, ...reference].map(({ memory }) => memory));
  const again = [...earlier.byTurn].flatMap(([at, memories]): [number, string][] => {
    return memories.length === 0 ? [] : [[at, dividePrompt(memories.map(({ memory }) => memory)).reference]];
  });
  return { prompt, earlier: new Map(again) };
}

/** Keeps what was put into the last message of the user, for the requests that have it in their history. */
export function keepSection(
  { injectedSections, caller }: Pick<Preparation, "injectedSections" | "caller">,
  { outcome, query, earlier, recordId, reference, erasures }: Injection,
  { put }: Pick<ChangedRequest, "put">,
): void {
  const { turn } = earlier;
  if (outcome !== "found" || query === null || turn === null || recordId === null) return;
  const memories = put.includes("reference") ? reference : [];
  injectedSections.keep(caller, turn.digest, { injection: recordId, erasures, memories });
}

function withoutMemory(fault: string, recordId: string | null): Refusal {
  const { message, data, retryAfterSeconds } = unavailable(
    `The memory for this request was not found, and it must not be sent without. ${fault} Retry, or send Memledger-Memory-Failure: open.`,
  );
  const details = { memory: "failed", ...(recordId === null ? {} : { injection: recordId }) };
  return new Refusal(1503, message, data, retryAfterSeconds, details);
}

/** The memories that are in the request now, in their order in it. */
export function memoriesPutIn(
  { rules, reference, earlier }: Injection,
  { put }: Pick<ChangedRequest, "put">,
): readonly PutMemory[] {
  const known = { rules, reference };
  return put.flatMap((name) => (typeof name === "number" ? (earlier.byTurn.get(name) ?? []) : known[name]));
}

/** The sections that are in the request now, in their order in it. */
export function sectionsPutIn(
  { prompt, earlier }: Pick<Changes, "prompt" | "earlier">,
  { put }: Pick<ChangedRequest, "put">,
): readonly string[] {
  return put.map((name) => (typeof name === "number" ? (earlier.get(name) ?? "") : prompt[name]));
}
