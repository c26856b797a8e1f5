// Owns what an AI assistant is to `memledger connect`: its files, the form of an entry and of hooks. Knows no assistant.

import type { JsonObject } from "../../platform/json/json.ts";
import type { HookClientName } from "../hooks/client.ts";
import type { Places } from "./places.ts";
import type { Target } from "./server-entry.ts";

export const scopes = ["user", "project"] as const;
export type Scope = (typeof scopes)[number];

/** The path of a file in each scope that the assistant has. */
export type Files = Readonly<Partial<Record<Scope, (places: Places) => string>>>;

export interface HookSettings {
  readonly client: HookClientName;
  readonly files: Files;
  /** `groups`: an event has groups with a list of handlers each; `handlers`: an event has handlers. */
  readonly form: "groups" | "handlers";
  /** In the unit of the assistant. The hooks themselves end after one second. */
  readonly timeout: number;
  /** The assistant shows this name. */
  readonly name?: string;
  /** A new file needs it. */
  readonly version?: number;
  /** A handler may have a list of arguments, which needs no shell. */
  readonly hasArguments?: boolean;
  /** What the user has to do before the hooks run: a sentence. */
  readonly note?: string;
}

/** What an assistant accepts in a file beside JSON. It refuses the whole file for anything else. */
export interface JsonReading {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly byteOrderMark: boolean;
}

export interface Assistant {
  readonly name: string;
  readonly title: string;
  readonly files: Files;
  readonly format: "json" | "toml";
  /** Of its files in JSON. */
  readonly json: JsonReading;
  /** The list of MCP servers in the file. */
  readonly servers: readonly [string, ...string[]];
  /** The entry in that list. */
  readonly entry: (target: Target) => JsonObject;
  /** A field by which the user switches a server on or off; null: none. It is the only one that stays as it is found. */
  readonly switch: "enabled" | "disabled" | null;
  /** Because of an invalid entry, the assistant refuses the whole file; null: it ignores such an entry. */
  readonly isEntry: ((entry: JsonObject, name: string) => boolean) | null;
  /** In strings of the file the assistant replaces what matches; null: nothing. */
  readonly variables: RegExp | null;
  /** False: with --url the assistant needs the key itself in its file. */
  readonly readsKeyVariable: boolean;
  /** Null: the assistant has no hooks for the start of a session, a prompt and the end. */
  readonly hooks: HookSettings | null;
  /** What a user has to do before the assistant uses a changed file. */
  readonly next: string;
}

/** One file of an assistant. Both parts may be in one file. */
export interface AssistantFile {
  readonly path: string;
  readonly assistant: Assistant;
  readonly hasServers: boolean;
  /** Null: the file has no hooks. */
  readonly hooks: HookSettings | null;
}

/** The files of an assistant in a scope; [] when it does not have the scope. */
export function filesOf(assistant: Assistant, scope: Scope, places: Places): AssistantFile[] {
  const path = assistant.files[scope]?.(places);
  if (path === undefined) return [];
  const hooks = assistant.hooks;
  const hookPath = hooks?.files[scope]?.(places);
  const first = { path, assistant, hasServers: true, hooks: hookPath === path ? hooks : null };
  if (hookPath === undefined || hookPath === path) return [first];
  return [first, { path: hookPath, assistant, hasServers: false, hooks }];
}
