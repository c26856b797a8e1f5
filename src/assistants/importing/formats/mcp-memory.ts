// Owns the file of the MCP reference memory server: JSON Lines with entities, their observations, and relations between them.
// Source: saveGraph in src/memory/index.ts of github.com/modelcontextprotocol/servers. Its README: relations are in active voice.

import type { JsonObject } from "../../../platform/json/json.ts";
import { type Entry, sourceIdOf } from "../entry.ts";
import { readJsonRecords } from "../json-records.ts";
import { aboutSubject } from "../subject.ts";
import type { ImportFormat } from "./format.ts";

const name = "mcp-memory";

export const mcpMemory: ImportFormat = {
  description: "memory.jsonl of the MCP reference memory server",
  detect: ({ record }) =>
    record?.type === "entity" || record?.type === "relation"
      ? 'has JSON objects with "type": "entity" or "relation"'
      : null,
  async *read(source) {
    for await (const record of readJsonRecords(source)) {
      if ("value" in record) yield* toEntries(record.line, record.value);
      else yield record;
    }
  },
};

function* toEntries(line: number, value: JsonObject): Generator<Entry> {
  if (value.type === "entity") yield* toObservations(line, value);
  else if (value.type === "relation") yield toRelation(line, value);
  else yield { line, fault: 'has no "type" that is "entity" or "relation"' };
}

/** One memory for each observation. An entity without observations is one memory itself. */
function* toObservations(
  line: number,
  { name: subject, entityType, observations = [] }: JsonObject,
): Generator<Entry> {
  if (typeof subject !== "string" || !Array.isArray(observations)) {
    yield { line, fault: 'is an entity without "name" or whose "observations" are no array' };
    return;
  }
  const type = typeof entityType === "string" ? entityType.trim() : "";
  const tags = type === "" ? {} : { tags: [type] };
  if (observations.length === 0) {
    const content = type === "" ? subject : `${subject} (${type})`;
    yield { line, memory: { content, ...tags, source_id: sourceIdOf(name, subject) } };
  }
  for (const text of observations) {
    if (typeof text !== "string")
      yield { line, fault: `is the entity "${subject}" with an observation that is not a text` };
    else {
      const source_id = sourceIdOf(name, subject, text);
      yield { line, memory: { content: aboutSubject(subject, text), ...tags, source_id } };
    }
  }
}

function toRelation(line: number, { from, to, relationType }: JsonObject): Entry {
  if (typeof from !== "string" || typeof to !== "string" || typeof relationType !== "string")
    return { line, fault: 'is a relation without "from", "to" or "relationType"' };
  const content = `${from} ${relationType.replaceAll("_", " ")} ${to}`;
  return { line, memory: { content, source_id: sourceIdOf(name, from, relationType, to) } };
}
