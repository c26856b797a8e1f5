// Owns the descriptions of the assistants in a terminal: their configuration files, and what they expect in them, as their
// documentation said in November 2026. Must never read or write a file.

import { join } from "node:path";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import type { Assistant } from "./assistant.ts";
import {
  dollar,
  headers,
  inProject,
  isSwitch,
  isText,
  lenient,
  strict,
  subjectHeader,
} from "./assistant-parts.ts";
import { configurationOf, homeOf, namedDirectory } from "./places.ts";
import { startedBy } from "./server-entry.ts";

export const claudeCode: Assistant = {
  // Servers and scopes, variables: https://code.claude.com/docs/en/mcp. CLAUDE_CONFIG_DIR: https://code.claude.com/docs/en/env-vars.
  // Hooks: https://code.claude.com/docs/en/hooks. Without alwaysLoad, a model has to search for the tools before it can call one.
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
  json: strict,
  servers: ["mcpServers"],
  entry: (target) =>
    target.kind === "local"
      ? { type: "stdio", ...startedBy(target), alwaysLoad: true }
      : { type: "http", url: `${target.url}/mcp`, headers: headers(target, dollar), alwaysLoad: true },
  switch: null,
  isEntry: null,
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
};

export const codex: Assistant = {
  // https://developers.openai.com/codex/mcp, hooks: https://developers.openai.com/codex/hooks. Codex has inline hooks in config.toml, too;
  // its documentation asks for one of both files.
  name: "codex",
  title: "Codex",
  files: {
    user: (places) => join(namedDirectory(places, "CODEX_HOME", ".codex"), "config.toml"),
    project: inProject(".codex", "config.toml"),
  },
  format: "toml",
  json: strict,
  servers: ["mcp_servers"],
  entry: (target) => {
    if (target.kind === "local") return startedBy(target);
    const url = `${target.url}/mcp`;
    if (target.key !== null) return { url, http_headers: headers(target, "") };
    const others = target.subject === null ? {} : { http_headers: subjectHeader(target) };
    return { url, bearer_token_env_var: apiKeyVariable, ...others };
  },
  switch: "enabled",
  isEntry: ({ command, url }) => (isText(command) ? url === undefined : isText(url)),
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
};

export const geminiCli: Assistant = {
  // https://geminicli.com/docs/tools/mcp-server, hooks: https://geminicli.com/docs/hooks/reference,
  // GEMINI_CLI_HOME: https://geminicli.com/docs/reference/configuration
  name: "gemini-cli",
  title: "Gemini CLI",
  files: {
    user: (places) => join(namedDirectory(places, "GEMINI_CLI_HOME", ""), ".gemini", "settings.json"),
    project: inProject(".gemini", "settings.json"),
  },
  format: "json",
  json: { comments: true, trailingCommas: false, byteOrderMark: false },
  servers: ["mcpServers"],
  entry: (target) =>
    target.kind === "local"
      ? startedBy(target)
      : { httpUrl: `${target.url}/mcp`, headers: headers(target, dollar) },
  switch: null,
  isEntry: ({ command, url, httpUrl }) =>
    [command, url, httpUrl].every((value) => value === undefined || isText(value)),
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
};

export const opencode: Assistant = {
  // https://opencode.ai/docs/config, https://opencode.ai/docs/mcp-servers. `mcp.servers` is the list of a later form of the file, which
  // it reads, too. Without `oauth`, it would answer an unknown key with a sign-in.
  name: "opencode",
  title: "OpenCode",
  files: {
    user: (places) => join(configurationOf(places), "opencode", "opencode.json"),
    project: inProject("opencode.json"),
  },
  format: "json",
  json: lenient,
  servers: ["mcp"],
  entry: (target) => {
    if (target.kind === "remote")
      return {
        type: "remote",
        url: `${target.url}/mcp`,
        headers: headers(target, `{env:${apiKeyVariable}}`),
        oauth: false,
      };
    const { command, args } = startedBy(target);
    return { type: "local", command: [command, ...args] };
  },
  switch: "enabled",
  isEntry: ({ type, command, url, enabled }, name) => {
    if (type === undefined) return name === "servers" || isSwitch(enabled);
    return type === "local" ? Array.isArray(command) : type === "remote" && isText(url);
  },
  variables: /\{(?:env|file):/,
  readsKeyVariable: true,
  hooks: null,
  next: "Start a new session.",
};
