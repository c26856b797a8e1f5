// Owns the data of a graph of Zep or Graphiti as JSON: edges with a fact, nodes with a summary, and episodes; each is a memory. There is no
// file of its own for them: programs write what the API or the library returns.
// Sources: help.getzep.com/sdk-reference (graph/edge, graph/node, graph/episode), graphiti_core/edges.py and graphiti_core/nodes.py in
// github.com/getzep/graphiti.

import type { JsonObject } from "../../../platform/json/json.ts";
import type { Entry, FoundMemory } from "../entry.ts";
import { readEntries } from "../json-records.ts";
import { aboutSubject, ownersOf } from "../subject.ts";
import { firstTime, isNothing, saidAt, until } from "../values.ts";
import type { ImportFormat } from "./format.ts";

/** A user of Zep; or a group or a graph, which can be that of a user. */
const owners = { user_id: "user", group_id: "group", graph_id: "graph", graph_uuid: "graph" } as const;

export const zep: ImportFormat = {
  description: "edges, nodes and episodes of a graph of Zep or Graphiti",
  detect({ record }) {
    if (record === null || typeof record.uuid !== "string") return null;
    if (typeof record.fact === "string") return 'has JSON objects with the fields "uuid" and "fact"';
    if (typeof record.summary === "string") return 'has JSON objects with the fields "uuid" and "summary"';
    return typeof record.content === "string"
      ? 'has JSON objects with the fields "uuid" and "content"'
      : null;
  },
  read: (source) => readEntries(source, toEntry),
};

function toEntry(line: number, value: JsonObject): Entry {
  const memory = toFact(value) ?? toEpisode(value);
  if (memory !== null) return { line, memory: { ...memory, ...ownerOf(value) } };
  const { name, summary } = value;
  if (typeof name !== "string") return { line, fault: 'has no field "fact", "content" or "name"' };
  if (typeof summary !== "string" || summary.trim() === "")
    return { line, skipped: "is a node without a summary" };
  const content = aboutSubject(name, summary);
  return { line, memory: { content, ...ownerOf(value), ...saidAt(value.created_at) } };
}

/** What is no longer true is expired; what was replaced without a date is inactive. */
function toFact({
  fact,
  invalid_at,
  expired_at,
  reference_time,
  created_at,
}: JsonObject): FoundMemory | null {
  if (typeof fact !== "string") return null;
  const isReplaced = !isNothing(expired_at) && isNothing(invalid_at);
  return {
    content: fact,
    ...(isReplaced && { is_active: false }),
    ...until(invalid_at),
    ...saidAt(reference_time, created_at),
  };
}

function toEpisode(value: JsonObject): FoundMemory | null {
  const { content, uuid, role, role_type, session_id, thread_id } = value;
  if (typeof content !== "string") return null;
  const origin = {
    conversation: session_id ?? thread_id,
    message: uuid,
    role: role_type === "user" || role_type === "assistant" ? role_type : null,
    name: role ?? value.role_name,
    said_at: firstTime(value.reference_time, value.valid_at, value.created_at),
  };
  const known = Object.entries(origin).filter(([, each]) => !isNothing(each));
  return { content, memory_type: "context", origins: [Object.fromEntries(known)] };
}

function ownerOf(value: JsonObject): Pick<FoundMemory, "subject" | "source_id"> {
  const [subject] = ownersOf(value, owners);
  return {
    ...(subject !== undefined && { subject }),
    ...(typeof value.uuid === "string" && { source_id: `zep:${value.uuid}` }),
  };
}
