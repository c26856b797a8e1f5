// Every assistant as a new user connects it: an empty home directory, `connect --write`, and then the messages of the protocol that the
// configuration leads to. What one assistant saves, the next one finds.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { assistants } from "../../../src/assistants/connect/assistants.ts";
import { isObject } from "../../../src/platform/json/json.ts";
import { cleanUp, run } from "../../cli/command.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { type Configured, readConfigured } from "./configured.ts";
import { createHome, type Home } from "./home.ts";

const names = assistants.map(({ name }) => name);

/** Connects an assistant and reads where its file is. */
async function connect(
  home: Home,
  client: string,
  words: readonly string[],
  variables = {},
): Promise<string> {
  const { files } = await home.json([client, "--write", ...words], variables);
  const [file] = Array.isArray(files) ? files : [];
  return String(isObject(file) ? file.path : "");
}

/** Speaks the protocol as the assistant would. @returns the names of the tools, and the contents that a search has found */
async function converse(transport: Transport, content: string, query: string) {
  const client = new Client({ name: "assistant", version: "1.0.0" });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    await client.callTool({ name: "memory_save", arguments: { content, type: "fact" } });
    const found = await client.callTool({ name: "memory_search", arguments: { query } });
    return { tools: tools.map(({ name }) => name), found: JSON.stringify(found.structuredContent) };
  } finally {
    await client.close();
  }
}

/** The program that an assistant starts, in the directory in which the assistant works. */
function start(configured: Configured, { variables }: Home, cwd: string): StdioClientTransport {
  if (configured.kind !== "program") throw new Error(`a server, not a program: ${configured.url}`);
  const { command, args, env } = configured;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...variables, ...env },
    cwd,
    stderr: "pipe",
  });
}

describe("this machine", () => {
  const home = createHome();
  const stop = () => run(["stop", "--data-dir", home.dataDir], home.variables);
  afterAll(stop);

  let previous = "";
  test.each(names)("%s finds what the one before has saved", async (name) => {
    const configured = readConfigured(name, await connect(home, name, []), {});
    const content = `The colour of ${name} is green.`;
    const { tools, found } = await converse(start(configured, home, home.home), content, "Which colour?");
    expect(tools).toContain("memory_save");
    expect(found).toContain(content);
    expect(found).toContain(previous);
    previous = content;
  });

  test("the ledger has every call", async () => {
    const { exitCode, stdout } = await run(["audit", "verify", "--data-dir", home.dataDir], home.variables);
    expect([exitCode, stdout]).toEqual([10, expect.stringContaining("every check passed")]);
    // A record of each search and of each memory that was saved.
    expect(stdout).toMatch(new RegExp(`^[0-9a-f]{32} +${2 * names.length} `, "m"));
  });

  test("with auto, each repository has its own memories", async () => {
    const repositories = ["blue", "red"].map((name) => join(home.home, name));
    for (const repository of repositories) mkdirSync(join(repository, ".git"), { recursive: true });
    const configured = readConfigured(
      "claude-code",
      await connect(home, "claude-code", ["--project", "auto"]),
      {},
    );
    const [blue = "", red = ""] = repositories;
    const first = await converse(start(configured, home, blue), "The sky is blue.", "What is the sky like?");
    const second = await converse(start(configured, home, red), "The sky is red.", "What is the sky like?");
    expect([first.found, second.found]).toEqual([
      expect.stringContaining("The sky is blue."),
      expect.not.stringContaining("The sky is blue."),
    ]);
  });
});

describe("a server elsewhere", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());
  afterAll(cleanUp);

  const starting = ["claude-desktop", "zed"];

  test.each(starting)("%s starts a program that calls it", async (name) => {
    const { key } = await app.createProject("business");
    const variables = { MEMLEDGER_API_KEY: key };
    const home = createHome();
    const words = ["--url", app.url, ...(name === "claude-desktop" ? ["--key-in-file"] : [])];
    const configured = readConfigured(name, await connect(home, name, words, variables), {});
    // Zed passes its environment on, Claude Desktop does not.
    const assistant = name === "zed" ? { ...home, variables: { ...home.variables, ...variables } } : home;
    const content = `${name} ships on Tuesdays.`;
    const { found } = await converse(start(configured, assistant, home.home), content, "When do we ship?");
    expect(found).toContain(content);
  });

  test.each(names.filter((name) => !starting.includes(name)))("%s", async (name) => {
    const { key } = await app.createProject("business");
    const variables = { MEMLEDGER_API_KEY: key };
    const home = createHome();
    const path = await connect(home, name, ["--url", app.url], variables);
    const configured = readConfigured(name, path, variables);
    if (configured.kind !== "server") throw new Error(`${name} starts ${configured.command}`);
    const transport = new StreamableHTTPClientTransport(new URL(configured.url), {
      requestInit: { headers: configured.headers },
    });
    const { tools, found } = await converse(transport, `${name} ships on Tuesdays.`, "When do we ship?");
    expect(tools).toContain("memory_search");
    expect(found).toContain(`${name} ships on Tuesdays.`);
    // With the key in the file, the same.
    const withKey = await connect(home, name, ["--url", app.url, "--key-in-file"], variables);
    expect(readConfigured(name, withKey, {})).toEqual(configured);
  });
});
