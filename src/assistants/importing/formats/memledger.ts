// Owns the files that `memledger memory export` writes: JSON Lines with one memory each, in the form of the API.

import { batchItem } from "../../../calls/operations/memories/batch-item.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { unknownReason } from "../../../platform/text/suggestion.ts";
import type { Entry } from "../entry.ts";
import { readEntries } from "../json-records.ts";
import { saidAt } from "../values.ts";
import type { ImportFormat } from "./format.ts";

const fields = [...Object.keys(batchItem.properties), "subject"];
/** Fields of an export that an import does not set: the times of an entry are those of the project, and a vector must belong to its text. */
const ignored = [
  "id",
  "created_at",
  "updated_at",
  "last_accessed_at",
  "origin",
  "former_of",
  "superseded_by",
  "embedding",
  "embedding_model",
] as const;

export const memledger: ImportFormat = {
  description: "JSON Lines as memory export writes them, also written by hand",
  detect: ({ record }) =>
    record !== null && "content" in record ? 'has JSON objects with the field "content"' : null,
  read: (source) => readEntries(source, toEntry),
};

function toEntry(line: number, value: JsonObject): Entry {
  const known: readonly string[] = [...fields, ...ignored];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { line, fault: `has a field "${unknown}" that ${unknownReason(unknown, known, "fields")}` };
  const given = Object.fromEntries(fields.filter((name) => name in value).map((name) => [name, value[name]]));
  const source = typeof value.id === "string" ? { source_id: `memledger:${value.id}` } : {};
  return { line, memory: { content: value.content, ...source, ...saidAt(value.created_at), ...given } };
}
