// Owns the form in which tools show a memory: without what a model does not need, and as a line of text that says the same.

import { Type } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { Fields, Nullable } from "../../platform/schema/schema.ts";

/** What every tool shows of a memory. Members that only few memories have are not listed: answers may have more members. */
const members = {
  id: Type.String(),
  content: Type.String(),
  type: Type.String(),
  updated_at: Type.String(),
};

export const listedMemory = Fields({ ...members, importance: Type.Number() });
export const foundMemory = Fields({ ...members, relevance: Type.Number() });

/** For a model that looks after the memories. @param memory as the API shows it */
export function showListed(memory: JsonObject): JsonObject {
  const { importance = null, is_active } = memory;
  return { ...showMemory(memory), importance, ...(is_active === false ? { is_active } : {}) };
}

/**
 * For a model that answers a question.
 * @param result of a hybrid search, as the API shows it. Its final score is not shown: a search that is reranked has another scale.
 */
export function showFound({ memory, score_details }: JsonObject): JsonObject {
  const { relevance = null } = isObject(score_details) ? score_details : {};
  return { ...showMemory(memory), relevance: rounded(relevance) };
}

function showMemory(memory: Json | undefined): JsonObject {
  if (!isObject(memory)) return {};
  const { id = null, content = null, memory_type = null, updated_at = null } = memory;
  const { expires_at = null, tags } = memory;
  return {
    id,
    content,
    type: memory_type,
    ...showOrigin(memory),
    updated_at: toMinute(updated_at),
    ...(expires_at === null ? {} : { expires_at: toMinute(expires_at) }),
    ...(tags === undefined ? {} : { tags }),
  };
}

/** Who said it and when, as in a prompt. */
function showOrigin({ origins }: JsonObject): JsonObject {
  const [{ name, role, said_at } = {}] = objectsIn(origins);
  const said_by = name ?? role;
  return {
    ...(said_by === undefined ? {} : { said_by }),
    ...(said_at === undefined ? {} : { said_at: toMinute(said_at) }),
  };
}

/** Without seconds: `2026-11-21T09:30Z`. */
function toMinute(time: Json): Json {
  return typeof time === "string" ? time.replace(/:\d\d\.\d{3}Z$/, "Z") : time;
}

/** Read by a model, not by a program. */
function rounded(score: Json): Json {
  return typeof score === "number" ? Number(score.toFixed(2)) : score;
}

/** An item of an extraction; the id is null if a dry run would create it. */
export const extractedItem = Fields({
  action: Type.String(),
  id: Nullable(Type.String()),
  content: Type.String(),
  type: Type.String(),
});

/** @param item as the API shows it */
export function showItem(item: JsonObject): JsonObject {
  const { action = null, id = null, content = null, memory_type = null, importance = null } = item;
  const { expires_at = null, tags, replaces } = item;
  return {
    action,
    id,
    content,
    type: memory_type,
    importance,
    ...(expires_at === null ? {} : { expires_at: toMinute(expires_at) }),
    ...(tags === undefined ? {} : { tags }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

export function describeItem(shown: JsonObject): string {
  const { action, id, content, type, importance, expires_at, tags, replaces } = shown;
  const details = [
    `id ${id}`,
    `importance ${importance}`,
    ...(expires_at === undefined ? [] : [`expires ${expires_at}`]),
    ...(Array.isArray(tags) ? [`tags ${JSON.stringify(tags)}`] : []),
    ...(Array.isArray(replaces) ? [`replaces ${JSON.stringify(replaces)}`] : []),
  ];
  return `- ${action} ${type}: ${JSON.stringify(content)} (${details.join(", ")})`;
}

/** One line. The content is a JSON string, so it cannot be mistaken for another line. */
export function describeMemory(shown: JsonObject): string {
  const { id, content, type, importance, said_by, said_at, updated_at } = shown;
  const { expires_at, is_active, tags, relevance } = shown;
  const details = [
    `id ${id}`,
    ...(said_by === undefined ? [] : [`said by ${JSON.stringify(said_by)}`]),
    ...(said_at === undefined ? [] : [`said ${said_at}`]),
    `updated ${updated_at}`,
    ...(expires_at === undefined ? [] : [`expires ${expires_at}`]),
    ...(importance === undefined ? [] : [`importance ${importance}`]),
    ...(is_active === false ? ["is_active false"] : []),
    ...(Array.isArray(tags) ? [`tags ${JSON.stringify(tags)}`] : []),
    ...(relevance === undefined ? [] : [`relevance ${relevance}`]),
  ];
  return `- ${type}: ${JSON.stringify(content)} (${details.join(", ")})`;
}
