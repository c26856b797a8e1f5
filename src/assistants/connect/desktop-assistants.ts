// Owns the descriptions of the assistants with windows of their own: their configuration files, and what they expect in them, as their
// documentation said in November 2026. Must never read or write a file.

import { join } from "node:path";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import type { Assistant } from "./assistant.ts";
import { dollarEnv, headers, inHome, inProject, lenient, strict } from "./assistant-parts.ts";
import { applicationsOf, configurationOf } from "./places.ts";
import { startedBy } from "./server-entry.ts";

export const claudeDesktop: Assistant = {
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers. Servers elsewhere cannot be set in this file
  // (https://support.claude.com/en/articles/11503834), so the assistant starts a program that calls them. It passes on no variables of
  // the user's shell.
  name: "claude-desktop",
  title: "Claude Desktop",
  files: { user: (places) => join(applicationsOf(places), "Claude", "claude_desktop_config.json") },
  format: "json",
  json: strict,
  servers: ["mcpServers"],
  entry: (target) =>
    target.kind === "remote" && target.key !== null
      ? { ...startedBy(target), env: { [apiKeyVariable]: target.key } }
      : startedBy(target),
  switch: null,
  isEntry: null,
  variables: null,
  readsKeyVariable: false,
  hooks: null,
  next: "Quit Claude Desktop and start it again.",
};

export const cursor: Assistant = {
  // https://cursor.com/docs/mcp, hooks: https://cursor.com/docs/hooks
  name: "cursor",
  title: "Cursor",
  files: { user: inHome(".cursor", "mcp.json"), project: inProject(".cursor", "mcp.json") },
  format: "json",
  json: lenient,
  servers: ["mcpServers"],
  entry: (target) =>
    target.kind === "local"
      ? startedBy(target)
      : { url: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
  switch: "disabled",
  isEntry: null,
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
};

export const vscode: Assistant = {
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
  json: lenient,
  servers: ["servers"],
  entry: (target) =>
    target.kind === "local"
      ? { type: "stdio", ...startedBy(target) }
      : { type: "http", url: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
  switch: null,
  isEntry: null,
  variables: /\$\{/,
  readsKeyVariable: true,
  hooks: null,
  next: 'Run "MCP: List Servers" in VS Code and start memledger.',
};

export const zed: Assistant = {
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
  json: lenient,
  servers: ["context_servers"],
  entry: (target) =>
    target.kind === "remote" && target.key !== null
      ? { ...startedBy(target), env: { [apiKeyVariable]: target.key } }
      : startedBy(target),
  switch: "enabled",
  isEntry: null,
  variables: null,
  readsKeyVariable: true,
  hooks: null,
  next: "Open the Agent Panel.",
};

export const windsurf: Assistant = {
  // https://docs.devin.ai/desktop/cascade/mcp: Windsurf is called Devin Desktop since June 2026; its agent Cascade reads this file.
  name: "windsurf",
  title: "Windsurf",
  files: { user: inHome(".codeium", "windsurf", "mcp_config.json") },
  format: "json",
  json: lenient,
  servers: ["mcpServers"],
  entry: (target) =>
    target.kind === "local"
      ? startedBy(target)
      : { serverUrl: `${target.url}/mcp`, headers: headers(target, dollarEnv) },
  switch: "disabled",
  isEntry: null,
  variables: /\$\{/,
  readsKeyVariable: true,
  hooks: null,
  next: "Refresh the MCP servers in the Cascade panel.",
};
