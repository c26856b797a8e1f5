// Owns the check that a change of a file concerns the entry and the hooks of memledger only. It compares values, so it does not depend on
// the code that edits the text.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import type { AssistantFile } from "./assistant.ts";
import { isOwnHandler } from "./hook-entry.ts";
import { readValue } from "./jsonc-tree.ts";
import { serverName } from "./server-entry.ts";
import { UnusableConfiguration } from "./text-edit.ts";

/** @throws UnusableConfiguration when a value of somebody else would change. TOML is checked where it is edited. */
export function requireSameElsewhere(before: string, after: string, file: AssistantFile): void {
  if (file.assistant.format === "toml" && file.hasServers) return;
  const [old, changed] = [before, after].map((text) => othersIn(readValue(text, []) ?? {}, file));
  if (!Bun.deepEquals(old, changed))
    throw new UnusableConfiguration("cannot be changed without changing other values");
}

function othersIn(root: Json, { assistant, hasServers, hooks }: AssistantFile): Json {
  if (!isObject(root)) return root;
  const [servers] = assistant.servers;
  const own = new Map<string, Json>();
  if (hasServers && isObject(root[servers])) own.set(servers, withoutName(root[servers], serverName));
  if (hooks !== null && isObject(root.hooks)) own.set("hooks", othersInHooks(root.hooks, hooks.client));
  const isAdded = (name: string) => hooks?.version !== undefined && name === "version";
  const entries = Object.entries(root).map(([name, value]): [string, Json] => [name, own.get(name) ?? value]);
  return Object.fromEntries(
    entries.filter(([name, value]) => !isAdded(name) && !(own.has(name) && isEmpty(value))),
  );
}

function othersInHooks(hooks: JsonObject, client: string): JsonObject {
  const entries = Object.entries(hooks).map(([event, groups]): [string, Json] => [
    event,
    Array.isArray(groups)
      ? groups.map((group: Json) => othersInGroup(group, client)).filter((left) => left !== null)
      : groups,
  ]);
  return Object.fromEntries(entries.filter(([, groups]) => !isEmpty(groups)));
}

/** Null when nothing of others is in it. */
function othersInGroup(group: Json, client: string): Json {
  if (!isObject(group)) return group;
  if (isOwnHandler(group, client)) return null;
  if (!Array.isArray(group.hooks)) return group;
  const left = group.hooks.filter((handler: Json) => !(isObject(handler) && isOwnHandler(handler, client)));
  return left.length === 0 && left.length < group.hooks.length ? null : { ...group, hooks: left };
}

function withoutName(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

function isEmpty(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
