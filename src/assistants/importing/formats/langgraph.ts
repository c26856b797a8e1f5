// Owns the items of a store of LangGraph: as Item.dict() writes them, or the rows of the table `store` of its PostgreSQL and SQLite stores as
// JSON. They become the memories that the store of the Python client writes (clients/python/src/memledger/langgraph.py), so it finds them.
// Sources: libs/checkpoint/langgraph/store/base and libs/checkpoint-sqlite/langgraph/store/sqlite/base.py in
// github.com/langchain-ai/langgraph.

import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import type { Entry } from "../entry.ts";
import { readEntries } from "../json-records.ts";
import { saidAt, toObject, until } from "../values.ts";
import type { ImportFormat } from "./format.ts";

/** The member of the metadata that has the rest of the namespace and the key; and what the store does not filter by. */
const pathMember = "langgraph";
const [nameMaxCharacters, stringMaxCharacters] = [64, 200];

export const langGraph: ImportFormat = {
  description: "items of a LangGraph store, or the rows of its table as JSON",
  detect: ({ record }) =>
    record !== null && "key" in record && "value" in record && ("namespace" in record || "prefix" in record)
      ? 'has JSON objects with a namespace, a "key" and a "value"'
      : null,
  read: (source) => readEntries(source, toEntry),
};

function toEntry(line: number, item: JsonObject): Entry {
  const { key, value: given = null, created_at, expires_at } = item;
  const [subject, ...labels] = namespaceOf(item);
  const value = toObject(given);
  if (typeof key !== "string" || subject === undefined || !isObject(value))
    return { line, fault: 'is no item with a namespace, a "key" and an object as "value"' };
  const path = [...labels, key]
    .map((each) => `/${each.replaceAll("%", "%25").replaceAll("/", "%2F")}`)
    .join("");
  const members = Object.fromEntries(Object.entries(value).filter(([name, each]) => isFiltered(name, each)));
  return {
    line,
    memory: {
      content: JSON.stringify(value),
      metadata: { ...members, [pathMember]: path },
      subject,
      source_id: path,
      ...saidAt(created_at),
      ...until(expires_at),
    },
  };
}

/** Labels contain no full stop. */
function namespaceOf({ namespace, prefix }: JsonObject): string[] {
  if (typeof prefix === "string") return prefix.split(".").filter((label) => label !== "");
  const labels = Array.isArray(namespace) ? namespace : [];
  return labels.every((label) => typeof label === "string") ? labels : [];
}

function isFiltered(name: string, value: Json): boolean {
  if (name === pathMember || [...name].length > nameMaxCharacters) return false;
  if (typeof value === "string") return [...value].length <= stringMaxCharacters;
  return typeof value === "number" || typeof value === "boolean";
}
