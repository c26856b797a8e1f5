// Owns the form in which tools show a memory: without what a model does not need, and as a line of text that says the same.

import { Type } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import { Fields, Nullable } from "../../schema/schema.ts";

/** What every tool shows of a memory. Members that only few memories have are not listed: answers may have more members. */
const members = {
  id: Type.String(),
  content: Type.String(),
  type: Type.String(),
  importance: Type.Number(),
  updated_at: Type.String(),
};

export const shownMemory = Fields(members);
export const foundMemory = Fields({ ...members, score: Type.Number() });

/** @param memory as the API shows it */
export function showMemory(memory: Json | undefined): JsonObject {
  if (!isObject(memory)) return {};
  const { id = null, content = null, memory_type = null, importance = null, updated_at = null } = memory;
  const { expires_at = null, is_active, tags } = memory;
  return {
    id,
    content,
    type: memory_type,
    importance,
    updated_at,
    ...(expires_at === null ? {} : { expires_at }),
    ...(is_active === false ? { is_active } : {}),
    ...(tags === undefined ? {} : { tags }),
  };
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
  const { expires_at = null } = item;
  return {
    action,
    id,
    content,
    type: memory_type,
    importance,
    ...(expires_at === null ? {} : { expires_at }),
  };
}

export function describeItem({ action, id, content, type, importance, expires_at }: JsonObject): string {
  const details = [
    `id ${id}`,
    `importance ${importance}`,
    ...(expires_at === undefined ? [] : [`expires ${expires_at}`]),
  ];
  return `- ${action} ${type}: ${JSON.stringify(content)} (${details.join(", ")})`;
}

/** One line. The content is a JSON string, so it cannot be mistaken for another line. */
export function describeMemory(shown: JsonObject): string {
  const { id, content, type, importance, updated_at, expires_at, is_active, tags, score } = shown;
  const details = [
    `id ${id}`,
    `importance ${importance}`,
    `updated ${updated_at}`,
    ...(expires_at === undefined ? [] : [`expires ${expires_at}`]),
    ...(is_active === false ? ["is_active false"] : []),
    ...(Array.isArray(tags) ? [`tags ${JSON.stringify(tags)}`] : []),
    ...(score === undefined ? [] : [`score ${score}`]),
  ];
  return `- ${type}: ${JSON.stringify(content)} (${details.join(", ")})`;
}

/** The objects of a list of an answer. */
export function objectsOf(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
