// Owns the table of the AI assistants that `memledger connect` knows: their configuration files, and what they expect in them, as their
// documentation said in November 2026. Must never read or write a file.

import { join } from "node:path";
import { apiKeyVariable } from "../config/client-variables.ts";
import type { JsonObject } from "../json/json.ts";
import type { Assistant } from "./assistant.ts";
import { applicationsOf, configurationOf, homeOf, namedDirectory, type Places } from "./places.ts";
import { startedBy, type Target } from "./server-entry.ts";

const inHome =
  (...names: string[]) =>
  (places: Places) =>
    join(homeOf(places), ...names);
const inProject =
  (...names: string[]) =>
  ({ project }: Places) =>
    join(project, ...names);

/** A header with the key itself, or with a reference to the variable in the syntax of the assistant. */
function headers(target: Target & { kind: "remote" }, reference: string): JsonObject {
  return { Authorization: `Bearer ${target.key ?? reference}` };
}

const dollar = `\${${apiKeyVariable}}`;
const dollarEnv = `\${env:${apiKeyVariable}}`;

export const assistants: readonly Assistant[] = [
  {
    // Servers and scopes, variables: https://code.claude.com/docs/en/mcp. CLAUDE_CONFIG_DIR: https://code.claude.com/docs/en/env-vars.
    // Hooks: https://code.claude.com/docs/en/hooks
    name: "claude-code",
    title: "Claude Code",
    files: {
      user: (places) =>
        places.variables.CLAUDE_CONFIG_DIR
          ? join(namedDirectory(places, "CLAUDE_CONFIG_DIR", ""), ".claude.json")
          : join(homeOf(places), ".claude.json"),
      project: inProject(".mcp.json"),
    },
    format: "json",
    servers: ["mcpServers"],
    entry: (target) =>
      target.kind === "local"
        ? { type: "stdio", ...startedBy(target) }
        : { type: "http", url: `${target.url}/mcp`, headers: headers(target, dollar) },
    variables: /\$\{/,
    readsKeyVariable: true,
    hooks: {
      client: "claude-code",
      files: {
        user: (places) => join(namedDirectory(places, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
        project: inProject(".claude", "settings.json"),
      },
      form: "groups",
      timeout: 10,
      hasArguments: true,
    },
    next: "Start a new session.",
  },
  {
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers. Servers elsewhere cannot be set in this file
    // (https://support.claude.com/en/articles/11503834), so the assistant starts a program that calls them. It passes on no variables of
    // the user's shell.
    name: "claude-desktop",
    title: "Claude Desktop",
    files: { user: (places) => join(applicationsOf(places), "Claude", "claude_desktop_config.json") },
    format: "json",
    servers: ["mcpServers"],
    entry: (target) =>
      target.kind === "remote" && target.key !== null
        ? { ...startedBy(target), env: { [apiKeyVariable]: target.key } }
        : startedBy(target),
    variables: null,
    readsKeyVariable: false,
    hooks: null,
    next: "Quit Claude Desktop and start it again.",
  },
  {
    // https://cursor.com/docs/mcp, hooks: https://cursor.com/docs/hooks
    name: "cursor",
    title: "Cursor",
    files: { user: inHome(".cursor", "mcp.json"), project: inProject(".cursor", "mcp.json") },
    format: "json",
    servers: ["mcpServers"],
    entry: (target) =>
      target.kind === "local"
        ? startedBy(target)
        : { url: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
    variables: /\$\{/,
    readsKeyVariable: true,
    hooks: {
      client: "cursor",
      files: { user: inHome(".cursor", "hooks.json"), project: inProject(".cursor", "hooks.json") },
      form: "handlers",
      version: 1,
      timeout: 10,
    },
    next: "Restart Cursor.",
  },
  {
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration,
    // variables: https://code.visualstudio.com/docs/reference/variables-reference. An `${input:...}` would ask for the key and store it, but
    // sessions of some agents do not get servers with one.
    name: "vscode",
    title: "VS Code",
    files: {
      user: (places) => join(applicationsOf(places), "Code", "User", "mcp.json"),
      project: inProject(".vscode", "mcp.json"),
    },
    format: "json",
    servers: ["servers"],
    entry: (target) =>
      target.kind === "local"
        ? { type: "stdio", ...startedBy(target) }
        : { type: "http", url: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
    variables: /\$\{/,
    readsKeyVariable: true,
    hooks: null,
    next: 'Run "MCP: List Servers" in VS Code and start memledger.',
  },
  {
    // https://developers.openai.com/codex/mcp, hooks: https://developers.openai.com/codex/hooks. Codex has inline hooks in config.toml, too;
    // its documentation asks for one of both files.
    name: "codex",
    title: "Codex",
    files: {
      user: (places) => join(namedDirectory(places, "CODEX_HOME", ".codex"), "config.toml"),
      project: inProject(".codex", "config.toml"),
    },
    format: "toml",
    servers: ["mcp_servers"],
    entry: (target) => {
      if (target.kind === "local") return startedBy(target);
      const url = `${target.url}/mcp`;
      return target.key === null
        ? { url, bearer_token_env_var: apiKeyVariable }
        : { url, http_headers: headers(target, "") };
    },
    variables: null,
    readsKeyVariable: true,
    hooks: {
      client: "codex",
      files: {
        user: (places) => join(namedDirectory(places, "CODEX_HOME", ".codex"), "hooks.json"),
        project: inProject(".codex", "hooks.json"),
      },
      form: "groups",
      // Codex shortens a longer one of SessionEnd, and warns about it at each start.
      timeout: 3,
      note: "Codex runs new and changed hooks after you have trusted them: use /hooks in Codex.",
    },
    next: "Start a new session.",
  },
  {
    // https://geminicli.com/docs/tools/mcp-server, hooks: https://geminicli.com/docs/hooks/reference,
    // GEMINI_CLI_HOME: https://geminicli.com/docs/reference/configuration
    name: "gemini-cli",
    title: "Gemini CLI",
    files: {
      user: (places) => join(namedDirectory(places, "GEMINI_CLI_HOME", ""), ".gemini", "settings.json"),
      project: inProject(".gemini", "settings.json"),
    },
    format: "json",
    servers: ["mcpServers"],
    entry: (target) =>
      target.kind === "local"
        ? startedBy(target)
        : { httpUrl: `${target.url}/mcp`, headers: headers(target, dollar) },
    variables: /\$[\w{]/,
    readsKeyVariable: true,
    hooks: {
      client: "gemini-cli",
      files: {
        user: (places) => join(namedDirectory(places, "GEMINI_CLI_HOME", ""), ".gemini", "settings.json"),
        project: inProject(".gemini", "settings.json"),
      },
      form: "groups",
      // Milliseconds, unlike the others.
      timeout: 10_000,
      name: "memledger",
    },
    next: "Start a new session.",
  },
  {
    // https://zed.dev/docs/ai/mcp, https://zed.dev/docs/configuring-zed. Zed sends headers as they are written
    // (https://github.com/zed-industries/zed/issues/60459), but programs that it starts have its environment.
    name: "zed",
    title: "Zed",
    files: {
      user: (places) =>
        places.platform === "win32"
          ? join(applicationsOf(places), "Zed", "settings.json")
          : join(configurationOf(places), "zed", "settings.json"),
    },
    format: "json",
    servers: ["context_servers"],
    entry: (target) =>
      target.kind === "remote" && target.key !== null
        ? { ...startedBy(target), env: { [apiKeyVariable]: target.key } }
        : startedBy(target),
    variables: null,
    readsKeyVariable: true,
    hooks: null,
    next: "Open the Agent Panel.",
  },
  {
    // https://docs.devin.ai/desktop/cascade/mcp: Windsurf is called Devin Desktop since June 2026; its agent Cascade reads this file.
    name: "windsurf",
    title: "Windsurf",
    files: { user: inHome(".codeium", "windsurf", "mcp_config.json") },
    format: "json",
    servers: ["mcpServers"],
    entry: (target) =>
      target.kind === "local"
        ? startedBy(target)
        : { serverUrl: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
    variables: /\$\{/,
    readsKeyVariable: true,
    hooks: null,
    next: "Refresh the MCP servers in the Cascade panel.",
  },
];
