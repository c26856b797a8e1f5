// Owns the entry of memledger in an assistant's list of MCP servers: what is written there, and how an entry of memledger is recognised.
// Must never contain a secret unless the user asked for it.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";

export const serverName = "memledger";

/** How an assistant reaches memledger. */
export type Target = {
  /** The program and what comes before the name of a command. */
  readonly program: readonly string[];
  /** Absolute. With a server elsewhere, only the hooks need it. */
  readonly dataDir: string;
  /** Whose memories the assistant gets; null: those of the project itself. */
  readonly subject: string | null;
} & (
  | {
      readonly kind: "local";
      /** Null: the default. */
      readonly project: string | null;
    }
  | {
      readonly kind: "remote";
      /** Without a slash at the end. */
      readonly url: string;
      /** Written into the file; null: the file refers to the variable. */
      readonly key: string | null;
    }
);

/** Options of `memledger hook`. */
export function hookOptionsOf(target: Target): readonly string[] {
  const subject = subjectOptionOf(target);
  if (target.kind === "remote") return ["--url", target.url, "--data-dir", target.dataDir, ...subject];
  const project = target.project === null ? [] : ["--project", target.project];
  return ["--data-dir", target.dataDir, ...project, ...subject];
}

function subjectOptionOf({ subject }: Target): readonly string[] {
  return subject === null ? [] : ["--subject", subject];
}

/** `{ command, args }`: the assistant starts `memledger mcp`. */
export function startedBy(target: Target): { readonly command: string; readonly args: readonly string[] } {
  const [command = "", ...before] = target.program;
  const options =
    target.kind === "remote" ? ["--url", target.url, ...subjectOptionOf(target)] : hookOptionsOf(target);
  return { command, args: [...before, "mcp", ...options] };
}

/** The data directory or the server that an entry of memledger leads to; null: not known. */
export function destinationOf(entry: JsonObject): string | null {
  const { url, httpUrl, serverUrl } = entry;
  const words = wordsOf(entry);
  const at = words.findIndex((word) => word === "--data-dir" || word === "--url");
  const found = url ?? httpUrl ?? serverUrl ?? (at < 0 ? undefined : words[at + 1]);
  return typeof found === "string" ? found : null;
}

/** The project that the entry names; null: none, because it is the default or that of the key. */
export function projectOf(entry: JsonObject): string | null {
  const words = wordsOf(entry);
  const at = words.indexOf("--project");
  const found = at < 0 ? undefined : words[at + 1];
  return typeof found === "string" ? found : null;
}

/** The words of the command that an entry starts; []: it starts none. */
export function wordsOf({ command, args }: JsonObject): readonly Json[] {
  if (Array.isArray(command)) return command;
  return typeof command === "string" && Array.isArray(args) ? [command, ...args] : [];
}

/** Whether `connect` can have written the entry. Another program may have the same name. */
export function isOwn(entry: Json | undefined): entry is JsonObject {
  return isObject(entry) && (isOwnCommand(wordsOf(entry), ["mcp"]) || callsMemledger(entry));
}

/**
 * Whether the words of a command run this program with a subcommand, as an executable or from source. The executable may have any name,
 * then the options that `connect` writes decide.
 */
export function isOwnCommand(words: readonly unknown[], subcommand: readonly string[]): boolean {
  const at = words.findIndex((_, index) =>
    subcommand.every((word, offset) => words[index + offset] === word),
  );
  const option = words[at + subcommand.length];
  return at > 0 && (isProgram(words) || option === "--data-dir" || option === "--url");
}

function isProgram(words: readonly unknown[]): boolean {
  const [command, script] = words.map((word) => String(word).replaceAll("\\", "/"));
  return /(^|\/)memledger[^/]*$/i.test(command ?? "") || (script ?? "").endsWith("/src/main.ts");
}

function callsMemledger(entry: JsonObject): boolean {
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl;
  if (typeof url !== "string" || !url.endsWith("/mcp")) return false;
  if (entry.bearer_token_env_var === apiKeyVariable) return true;
  const headers = isObject(entry.headers) ? entry.headers : entry.http_headers;
  const value = isObject(headers) ? headers.Authorization : undefined;
  return typeof value === "string" && (value.includes(apiKeyVariable) || value.startsWith("Bearer ml_"));
}
