// Owns the memories of mem0: an array, an object with "results", or JSON Lines of its memories.
// Sources: https://docs.mem0.ai/api-reference/memory/v1-get-memories and https://docs.mem0.ai/open-source/python-quickstart (get_all),
// mem0/memory/main.py in github.com/mem0ai/mem0.

import type { Json, JsonObject } from "../../../platform/json/json.ts";
import type { Entry, FoundMemory } from "../entry.ts";
import { sourceIdOf } from "../entry.ts";
import { readEntries } from "../json-records.ts";
import { ownersOf } from "../subject.ts";
import { described, saidAt, tagged, until } from "../values.ts";
import type { ImportFormat } from "./format.ts";

/** Whose memories they are, as mem0 searches those of one of them. The first of them is the subject, and the others are tags. */
const owners = { user_id: "user", agent_id: "agent", app_id: "app", run_id: "run" } as const;

export const mem0: ImportFormat = {
  description: "memories of mem0: the JSON of get_all or of an export",
  detect: ({ record }) =>
    typeof record?.memory === "string" ? 'has JSON objects with the field "memory"' : null,
  read: (source) => readEntries(source, toEntry),
};

function toEntry(line: number, value: JsonObject): Entry {
  const { memory, source, relationship } = value;
  const target = value.target ?? value.destination;
  if (typeof memory === "string") return { line, memory: toMemory(value, memory) };
  if (typeof source === "string" && typeof relationship === "string" && typeof target === "string") {
    const content = `${source} ${relationship.replaceAll("_", " ")} ${target}`;
    return { line, memory: { content, source_id: sourceIdOf("mem0", source, relationship, target) } };
  }
  return { line, fault: 'has no field "memory"' };
}

function toMemory(value: JsonObject, content: string): FoundMemory {
  const { id, categories, metadata, created_at, expiration_date } = value;
  const [subject, ...others] = ownersOf(value, owners);
  return {
    content,
    ...tagged(textsIn(categories), others),
    ...(subject !== undefined && { subject }),
    ...(typeof id === "string" && { source_id: `mem0:${id}` }),
    ...described(metadata),
    ...saidAt(created_at),
    ...until(expiration_date),
  };
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
