// Owns the memories of mcp-memory-service: the JSON that its export writes, or the rows of the table `memories` of its SQLite database as JSON.
// Sources: src/mcp_memory_service/sync/exporter.py and storage/sqlite_vec.py in github.com/doobidoo/mcp-memory-service.

import type { JsonObject } from "../../../platform/json/json.ts";
import type { Entry } from "../entry.ts";
import { readEntries } from "../json-records.ts";
import { described, isNothing, saidAt, tagged } from "../values.ts";
import type { ImportFormat } from "./format.ts";

export const mcpMemoryService: ImportFormat = {
  description: "JSON export of mcp-memory-service",
  detect: ({ record }) =>
    record !== null && "content" in record && "content_hash" in record
      ? 'has JSON objects with the field "content_hash"'
      : null,
  read: (source) => readEntries(source, toEntry),
};

function toEntry(line: number, value: JsonObject): Entry {
  const { content, content_hash: hash, memory_type: kind, tags, metadata } = value;
  if (!isNothing(value.deleted_at)) return { line, skipped: "is a memory that was deleted at its source" };
  return {
    line,
    memory: {
      content,
      ...tagged(tags, isNothing(kind) ? [] : [kind]),
      ...(typeof hash === "string" && { source_id: `mcp-memory-service:${hash}` }),
      ...described(metadata),
      ...saidAt(value.created_at, value.created_at_iso),
    },
  };
}
