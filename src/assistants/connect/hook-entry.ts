// Owns the hooks of memledger in an assistant's file: commands that it runs at the start of a session, at a prompt and at the end.
// Must never change the hooks of others.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { type HookName, hookClients, hookNames } from "../hooks/client.ts";
import type { HookSettings } from "./assistant.ts";
import { appendItem, removeValue, setValue } from "./jsonc-edit.ts";
import { type Path, readValue } from "./jsonc-tree.ts";
import { hookOptionsOf, isOwnCommand, type Target } from "./server-entry.ts";

/** What is written for one assistant. */
export interface WantedHooks {
  readonly settings: HookSettings;
  readonly target: Target;
  readonly platform: NodeJS.Platform;
}

/** Adds the three hooks, or changes those of memledger that differ. @throws UnusableConfiguration */
export function setHooks(text: string, wanted: WantedHooks): string {
  const { settings } = wanted;
  let changed = text;
  if (settings.version !== undefined && readValue(changed, ["version"]) === undefined)
    changed = setValue(changed, ["version"], settings.version);
  for (const event of hookNames) changed = setHook(changed, wanted, event);
  return changed;
}

function setHook(text: string, wanted: WantedHooks, event: HookName): string {
  const { settings } = wanted;
  const handler = handlerOf(wanted, event);
  const name = hookClients[settings.client].events[event];
  const [first, ...others] = findHandlers(text, name, settings.client);
  if (first === undefined) return addHandler(text, name, handler, settings);
  let changed = text;
  for (const other of others.toReversed()) changed = removeHandler(changed, other.path);
  return Bun.deepEquals(first.handler, handler) ? changed : setValue(changed, first.path, handler);
}

/** Removes the hooks of memledger from all events, with the groups that become empty. @throws UnusableConfiguration */
export function removeHooks(text: string, client: string): string {
  let changed = text;
  for (const event of eventsIn(text)) {
    const found = findHandlers(changed, event, client);
    for (const { path } of found.toReversed()) changed = removeHandler(changed, path);
  }
  return changed;
}

export interface FoundHandler {
  /** The assistant's name of the event. */
  readonly event: string;
  readonly path: Path;
  readonly handler: JsonObject;
}

/** All hooks of memledger in a file. @throws UnusableConfiguration */
export function findHooks(text: string, client: string): FoundHandler[] {
  return eventsIn(text).flatMap((event) => findHandlers(text, event, client));
}

/** Adds hooks as they were found in a file. @throws UnusableConfiguration */
export function replayHooks(text: string, found: readonly FoundHandler[], settings: HookSettings): string {
  const isNew =
    found.length > 0 && settings.version !== undefined && readValue(text, ["version"]) === undefined;
  const versioned =
    isNew && settings.version !== undefined ? setValue(text, ["version"], settings.version) : text;
  return found.reduce(
    (changed, { event, handler }) => addHandler(changed, event, handler, settings),
    versioned,
  );
}

function addHandler(text: string, event: string, handler: JsonObject, { form }: HookSettings): string {
  return appendItem(text, ["hooks", event], form === "groups" ? { hooks: [handler] } : handler);
}

function eventsIn(text: string): readonly string[] {
  const hooks = readValue(text, ["hooks"]);
  return isObject(hooks) ? Object.keys(hooks) : [];
}

export function handlerOf({ settings, target, platform }: WantedHooks, event: HookName): JsonObject {
  const [program = "", ...before] = target.program;
  // Whole conversations: word for word, or what a language model of the server makes of them.
  const detail = event === "session-end" ? ["--detail", "full"] : [];
  const args = [...before, "hook", event, "--client", settings.client, ...hookOptionsOf(target), ...detail];
  const isWindows = platform === "win32";
  // The shell is bash, PowerShell or cmd there, and no quoting works in all of them.
  const run: JsonObject =
    isWindows && settings.hasArguments === true
      ? { command: program, args }
      : { command: [program, ...args].map(isWindows ? quoteForWindows : quoteWord).join(" ") };
  return {
    ...(settings.name === undefined ? {} : { name: settings.name }),
    ...(settings.form === "groups" ? { type: "command" } : {}),
    ...run,
    timeout: settings.timeout,
  };
}

function quoteForWindows(word: string): string {
  return /^[\w.:\\/=-]+$/.test(word) ? word : `"${word}"`;
}

function findHandlers(text: string, event: string, client: string): FoundHandler[] {
  const list = ["hooks", event];
  const groups = readValue(text, list);
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: Json, index): FoundHandler[] => {
    if (!isObject(group)) return [];
    const path = [...list, index];
    if (isOwnHandler(group, client)) return [{ event, path, handler: group }];
    const handlers = Array.isArray(group.hooks) ? group.hooks : [];
    return handlers.flatMap((handler: Json, position): FoundHandler[] =>
      isObject(handler) && isOwnHandler(handler, client)
        ? [{ event, path: [...path, "hooks", position], handler }]
        : [],
    );
  });
}

/** Whether `connect` can have written a handler for this assistant. */
export function isOwnHandler({ command, args }: JsonObject, client: string): boolean {
  if (typeof command !== "string") return false;
  const words = Array.isArray(args) ? [command, ...args] : wordsOf(command);
  return hookNames.some((name) => isOwnCommand(words, ["hook", name, "--client", client]));
}

/** The words of a command line as `handlerOf` writes them. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'(?:[^']|'\\'')*'|"[^"]*"|\S)+/g) ?? [];
  return words.map((word) =>
    /^".*"$/.test(word) ? word.slice(1, -1) : word.replace(/^'(.*)'$/s, "$1").replaceAll("'\\''", "'"),
  );
}

function removeHandler(text: string, path: Path): string {
  const changed = removeValue(text, path);
  const isInGroup = path.at(-2) === "hooks" && path.length > 3;
  if (!isInGroup) return changed;
  const left = readValue(changed, path.slice(0, -1));
  return Array.isArray(left) && left.length === 0 ? removeValue(changed, path.slice(0, -2)) : changed;
}
