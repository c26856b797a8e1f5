// Owns what `connect` changes in the text of a file: it adds, changes or removes the entry and the hooks of memledger, and says what is
// there. Must never read or write a file, nor change what is not its own.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import { hookClients } from "../hooks/client.ts";
import { requireAccepted, requireParsed } from "./accepted-file.ts";
import type { Assistant, AssistantFile } from "./assistant.ts";
import { findHooks, removeHooks, replayHooks, setHooks, type WantedHooks } from "./hook-entry.ts";
import { removeValue, setValue } from "./jsonc-edit.ts";
import { readValue } from "./jsonc-tree.ts";
import { requireSameElsewhere } from "./own-parts.ts";
import { isOwn, serverName, type Target } from "./server-entry.ts";
import { UnusableConfiguration } from "./text-edit.ts";
import { readTable, removeTable, setTable } from "./toml-edit.ts";

export interface Wanted {
  readonly target: Target;
  readonly platform: NodeJS.Platform;
  readonly withHooks: boolean;
}

/**
 * Adds or changes the entry, and with `withHooks` the hooks.
 * @throws UnusableConfiguration, also when an entry of another program has the name, or the assistant would refuse the file
 */
export function connectText(text: string, file: AssistantFile, wanted: Wanted): string {
  const { assistant, hasServers, hooks: settings } = file;
  const { target, platform, withHooks } = wanted;
  requireParsed(text, file);
  let changed = hasServers ? connectServer(text, assistant, assistant.entry(target)) : text;
  // Hooks that are there must not call another server than the entry.
  if (settings !== null && (withHooks || findHooks(text, settings.client).length > 0)) {
    const hooks: WantedHooks = { settings, target, platform };
    changed = setHooks(changed, hooks);
  }
  requireSameElsewhere(text, changed, file);
  requireAccepted(changed, file);
  return changed;
}

/** An entry that is there is replaced: a variable or a directory in it could make the assistant run something else. */
function connectServer(text: string, assistant: Assistant, server: JsonObject): string {
  const existing = readServer(text, assistant);
  if (existing === undefined) return writeServer(text, assistant, server);
  if (!isOwn(existing)) throw otherEntry(assistant, existing);
  const wanted = { ...server, ...switchOf(existing, assistant) };
  if (Bun.deepEquals(existing, wanted)) return text;
  if (assistant.format === "json") return writeServer(text, assistant, wanted);
  const removed = Object.keys(existing).filter((name) => !Object.hasOwn(wanted, name));
  // Tables in it are lines elsewhere in the file.
  return Object.values(existing).some(isObject)
    ? writeServer(removeServer(text, assistant), assistant, wanted)
    : setTable(text, [...assistant.servers, serverName], {
        ...Object.fromEntries(removed.map((name) => [name, null])),
        ...wanted,
      });
}

/** The fields of an entry that `connect` does not keep, because it has not written them; []: there is no entry of memledger. */
export function strangeFields(text: string, { assistant, hasServers }: AssistantFile): string[] {
  const existing = hasServers ? readServer(text, assistant) : undefined;
  if (!isOwn(existing)) return [];
  const kept = switchOf(existing, assistant);
  const isKnown = (name: string) => ownFields.includes(name) || Object.hasOwn(kept, name);
  const { env } = existing;
  const hasVariables = isObject(env) && Object.keys(env).some((name) => name !== apiKeyVariable);
  const strange = Object.keys(existing).filter((name) => !isKnown(name) && name !== "env");
  return hasVariables ? [...strange, "env"] : strange;
}

/** Fields that `connect` writes, in all assistants. */
const ownFields = [
  ...["type", "command", "args", "url", "httpUrl", "serverUrl", "headers", "http_headers"],
  ...["bearer_token_env_var", "alwaysLoad", "oauth"],
];

function switchOf(existing: JsonObject, { switch: name }: Assistant): JsonObject {
  const value = name === null ? undefined : existing[name];
  return name !== null && typeof value === "boolean" ? { [name]: value } : {};
}

function writeServer(text: string, { format, servers }: Assistant, server: JsonObject): string {
  const path = [...servers, serverName];
  return format === "toml" ? setTable(text, path, server) : setValue(text, path, server);
}

/** The entry of memledger, or of another program with that name; undefined when there is none. @throws UnusableConfiguration */
export function readServer(text: string, { format, servers }: Assistant): Json | undefined {
  const path = [...servers, serverName];
  return format === "toml" ? readTable(text, path) : readValue(text, path);
}

function otherEntry({ servers }: Assistant, entry: Json): UnusableConfiguration {
  // Variables and headers may be secrets.
  const hidden = ["env", "headers", "http_headers"];
  const shown = JSON.stringify(entry, (name, value) => (hidden.includes(name) ? "(hidden)" : value)).slice(
    0,
    300,
  );
  return new UnusableConfiguration(
    `"${[...servers, serverName].join(".")}" belongs to another program: ${shown}`,
    "Rename or remove that entry and try again.",
  );
}

/**
 * Removes entry and hooks. Where nothing else has changed since `connect`, the text from before comes back with all its bytes: the one
 * of `originals` that becomes `text` when the same is added to it.
 * @param originals contents of the backups, the newest first
 * @returns null when the file did not exist before
 * @throws UnusableConfiguration, also when an entry of another program has the name
 */
export function disconnectText(
  text: string,
  file: AssistantFile,
  originals: readonly string[],
): string | null {
  const { assistant, hasServers, hooks } = file;
  const entry = hasServers ? readServer(text, assistant) : undefined;
  if (entry !== undefined && !isOwn(entry)) throw otherEntry(assistant, entry);
  const found = hooks === null ? [] : findHooks(text, hooks.client);
  if (entry === undefined && found.length === 0) return text;
  const replay = (original: string): string => {
    const withServer = entry === undefined ? original : writeServer(original, assistant, entry);
    return hooks === null ? withServer : replayHooks(withServer, found, hooks);
  };
  const before = originals.filter((original) => !isConnected(original, file));
  for (const original of [...before, null]) if (isReplayed(original, text, replay)) return original;
  let left = text;
  if (entry !== undefined) left = removeServer(left, assistant);
  if (hooks !== null) left = removeHooks(left, hooks.client);
  left = removeEmpty(left, file, before[0] ?? null);
  requireSameElsewhere(text, left, file);
  return left;
}

/** A file that `connect` has changed twice has a backup of its first change. */
function isConnected(text: string, { assistant, hasServers, hooks }: AssistantFile): boolean {
  try {
    const hasEntry = hasServers && isOwn(readServer(text, assistant));
    return hasEntry || (hooks !== null && findHooks(text, hooks.client).length > 0);
  } catch (error) {
    if (error instanceof UnusableConfiguration) return true;
    throw error;
  }
}

/** A backup may hold anything. */
function isReplayed(original: string | null, text: string, replay: (original: string) => string): boolean {
  try {
    return replay(original ?? "") === text;
  } catch (error) {
    if (error instanceof UnusableConfiguration) return false;
    throw error;
  }
}

function removeServer(text: string, { format, servers }: Assistant): string {
  const path = [...servers, serverName];
  return format === "toml" ? removeTable(text, path) : removeValue(text, path);
}

/** Removes containers that are empty now, unless they were in the file before `connect`. */
function removeEmpty(
  text: string,
  { assistant, hooks, hasServers }: AssistantFile,
  original: string | null,
): string {
  if (assistant.format === "toml" && hasServers) return text;
  const events =
    hooks === null ? [] : Object.values(hookClients[hooks.client].events).map((event) => ["hooks", event]);
  const ofHooks = hooks === null ? [] : [...events, ["hooks"]];
  const containers = [...(hasServers ? [[...assistant.servers]] : []), ...ofHooks];
  const pruned = containers.reduce((left, path) => {
    const value = readValue(left, path);
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    const wasThere = original !== null && isThere(original, path);
    return isEmpty && !wasThere ? removeValue(left, path) : left;
  }, text);
  const hasVersion = hooks?.version === undefined || original === null || isThere(original, ["version"]);
  const isInUse = isThere(pruned, ["hooks"]);
  return hasVersion || isInUse ? pruned : removeValue(pruned, ["version"]);
}

function isThere(text: string, path: readonly string[]): boolean {
  try {
    return readValue(text, path) !== undefined;
  } catch (error) {
    if (error instanceof UnusableConfiguration) return true;
    throw error;
  }
}
