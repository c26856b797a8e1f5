// Reads the configuration that `memledger connect` has written as each assistant does: with another parser than the product, and with the
// variables of that assistant. Must never know what the product wrote.

import { readFileSync } from "node:fs";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";

/** What an assistant starts, or calls. */
export type Configured =
  | {
      readonly kind: "program";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Env;
    }
  | { readonly kind: "server"; readonly url: string; readonly headers: Env };

type Env = Readonly<Record<string, string>>;

/** Name of the list of servers, and the form of a reference to a variable, by the documentation of each assistant. */
const forms: Readonly<Record<string, { servers: string; url: string | null; reference: RegExp | null }>> = {
  "claude-code": { servers: "mcpServers", url: "url", reference: /\$\{(\w+)\}/g },
  "claude-desktop": { servers: "mcpServers", url: null, reference: null },
  cursor: { servers: "mcpServers", url: "url", reference: /\$\{env:(\w+)\}/g },
  vscode: { servers: "servers", url: "url", reference: /\$\{env:(\w+)\}/g },
  codex: { servers: "mcp_servers", url: "url", reference: null },
  "gemini-cli": { servers: "mcpServers", url: "httpUrl", reference: /\$\{?(\w+)\}?/g },
  zed: { servers: "context_servers", url: "url", reference: null },
  windsurf: { servers: "mcpServers", url: "serverUrl", reference: /\$\{env:(\w+)\}/g },
  opencode: { servers: "mcp", url: "url", reference: /\{env:(\w+)\}/g },
};

/** @param variables the environment of the assistant */
export function readConfigured(client: string, path: string, variables: Env): Configured {
  const form = forms[client];
  const text = readFileSync(path, "utf8");
  const root: unknown = path.endsWith(".toml") ? Bun.TOML.parse(text) : JSON.parse(text);
  const servers = isObject(root) ? root[form?.servers ?? ""] : undefined;
  const entry = isObject(servers) ? servers.memledger : undefined;
  if (form === undefined || !isObject(entry)) throw new Error(`no entry for ${client} in ${text}`);
  const resolve = (value: unknown): string =>
    form.reference === null
      ? String(value)
      : String(value).replaceAll(form.reference, (whole, name) => variables[name] ?? whole);
  const texts = (value: unknown): Env =>
    Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).map(([name, item]) => [name, resolve(item)]),
    );
  const url = form.url === null ? undefined : entry[form.url];
  if (typeof url === "string")
    return { kind: "server", url: resolve(url), headers: headersOf(entry, texts, variables) };
  // OpenCode has one list for both.
  const words = Array.isArray(entry.command) ? entry.command : [entry.command, ...listOf(entry.args)];
  const [command = "", ...args] = words.map(resolve);
  return { kind: "program", command, args, env: texts(entry.env) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Codex has fields of its own. */
function headersOf(entry: JsonObject, texts: (value: unknown) => Env, variables: Env): Env {
  const name = entry.bearer_token_env_var;
  const bearer = typeof name === "string" ? { Authorization: `Bearer ${variables[name]}` } : {};
  return { ...texts(entry.headers), ...texts(entry.http_headers), ...bearer };
}
