// Owns the export of OpenMemory, a ZIP archive with two files: memories.json, with the user, the apps, the categories and the memories, and
// memories.jsonl.gz, with one memory in each line, which does not say whose they are. Also pages of its API.
// Source: openmemory/api/app/routers/backup.py in github.com/mem0ai/mem0.

import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import type { Entry } from "../entry.ts";
import { readJsonRecords } from "../json-records.ts";
import { ownersOf } from "../subject.ts";
import { described, saidAt, tagged } from "../values.ts";
import type { ImportFormat } from "./format.ts";

interface Export {
  subject: string | null;
  /** Names of categories and apps by their ids. */
  readonly names: Map<Json | undefined, Json>;
}

export const openMemory: ImportFormat = {
  description: "memories.json or memories.jsonl of the export of OpenMemory",
  detect({ text, record }) {
    if (/^\s*\{\s*"user"\s*:\s*\{[^{}]*"user_id"/.test(text)) return 'has a "user" with a "user_id"';
    const isMemory = record !== null && "content" in record && "state" in record;
    return isMemory && ("app" in record || "app_name" in record)
      ? 'has JSON objects with the fields "content", "state" and an app'
      : null;
  },
  async *read(source) {
    const known: Export = { subject: null, names: new Map() };
    for await (const record of readJsonRecords(source, true)) {
      const { line, member } = record;
      if ("fault" in record) yield record;
      else if ([null, "memories", "items"].includes(member)) yield toEntry(line, record.value, known);
      else if (member === "user") known.subject = ownersOf(record.value, { user_id: "user" })[0] ?? null;
      else if (member === "apps" || member === "categories")
        known.names.set(record.value.id, record.value.name ?? null);
    }
  },
};

/** A memory that is paused or archived is stored, and not found. */
function toEntry(line: number, value: JsonObject, { subject, names }: Export): Entry {
  const { id, content, metadata, state, category_ids: categories, created_at } = value;
  if (state === "deleted") return { line, skipped: "is a memory that was deleted at its source" };
  const app = names.get(value.app_id) ?? value.app ?? value.app_name;
  const named = Array.isArray(categories) ? categories.map((each) => names.get(each) ?? each) : [];
  return {
    line,
    memory: {
      content,
      ...tagged(value.categories, named, typeof app === "string" ? [`app:${app}`] : []),
      ...(subject !== null && { subject }),
      ...(typeof id === "string" && { source_id: `openmemory:${id}` }),
      ...(typeof state === "string" && state !== "active" && { is_active: false }),
      ...described(isObject(metadata) ? metadata : null),
      ...saidAt(created_at),
    },
  };
}
