// Owns the reading of an event that a client sends to a hook. Must never trust it: whoever can configure hooks chose the command, but the
// prompt and the paths are data.

import { isAbsolute } from "node:path";
import { isObject, type Json, readJson } from "../../platform/json/json.ts";
import { queryMaxCharacters } from "../../platform/limits.ts";
import type { HookClientName } from "./client.ts";

export interface HookEvent {
  /** Identifies the conversation for this client. */
  readonly sessionId: string;
  /** Absolute; null when the client did not send it. */
  readonly workingDirectory: string | null;
  /** Absolute; null when the client did not send it, or keeps no transcript. */
  readonly transcriptPath: string | null;
  /** The words of the user that are searched for; empty for other events. */
  readonly query: string;
}

/** Clients use UUIDs. The identifier becomes an argument of a process and part of an audit record. */
const identifier = /^[\x20-\x7e]{1,200}$/;

/** Null: this is no event of the client. */
export function readEvent(client: HookClientName, text: string): HookEvent | null {
  // Windows shells add a byte order mark.
  const value = readJson(text.replace(/^\uFEFF/, ""));
  if (!isObject(value)) return null;
  // Cursor can run the hooks of Claude Code, too. They would print everything a second time.
  if (client !== "cursor" && "cursor_version" in value) return null;
  const sessionId = firstText(value.conversation_id, value.session_id);
  if (sessionId === null || !identifier.test(sessionId)) return null;
  const roots = Array.isArray(value.workspace_roots) ? value.workspace_roots : [];
  return {
    sessionId,
    workingDirectory: firstPath(value.cwd, ...roots),
    transcriptPath: firstPath(value.transcript_path),
    query: toQuery(firstText(value.prompt, value.user_prompt) ?? ""),
  };
}

function firstText(...values: readonly (Json | undefined)[]): string | null {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? null;
}

function firstPath(...values: readonly (Json | undefined)[]): string | null {
  const path = firstText(...values);
  return path === null || !isAbsolute(path) || path.includes("\0") ? null : path;
}

/** People ask at the beginning or at the end of a long prompt, and paste in between. */
function toQuery(prompt: string): string {
  const text = prompt.toWellFormed().replaceAll("\0", " ").trim();
  if (text.length <= queryMaxCharacters) return text;
  const half = queryMaxCharacters / 2 - 1;
  return `${text.slice(0, half)}\n${text.slice(-half)}`.toWellFormed();
}
