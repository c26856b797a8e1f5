// Every assistant as a new user connects it: an empty home directory, `connect --write`, and then the messages of the protocol that the
// configuration leads to. What one assistant saves, the next one finds.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { assistants } from "../../src/assistants/assistants.ts";
import { isObject } from "../../src/json/json.ts";
import { cleanUp } from "../cli/command.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { readConfigured } from "./configured.ts";
import { createHome, type Home } from "./home.ts";

setDefaultTimeout(60_000);

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

describe("a server elsewhere", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());
  afterAll(cleanUp);

  test.each(names.filter((name) => !["claude-desktop", "zed"].includes(name)))("%s", async (name) => {
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
