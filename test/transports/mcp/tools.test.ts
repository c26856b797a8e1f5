// Tests the tools of MCP with the official clients of both eras against a real server, and that each call has its own record.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type Json, objectsIn } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, connectPrevious, eras, type ToolReply } from "./clients.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** The leaves of a JSON value. */
function leavesOf(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap(leavesOf);
}

/** Every value of the structured result is in the text, too. */
function expectSameInText({ text, structured }: ToolReply): void {
  for (const leaf of leavesOf(structured)) {
    if (typeof leaf === "boolean") continue;
    const printed = JSON.stringify(leaf);
    expect([text.includes(String(leaf)) || text.includes(printed), leaf]).toEqual([true, leaf]);
  }
}

describe.each(eras)("a client of %s", (era) => {
  const open = async (fields: { plan?: "basic" } = {}) => {
    const project = await app.createProject(fields.plan ?? "business");
    const client = await connect(app, project.key, era);
    return {
      ...client,
      project,
      /** Calls a tool and expects its own record, and nothing else. */
      async use(
        name: string,
        input: Record<string, unknown>,
        action: string,
        status: number,
      ): Promise<ToolReply> {
        const before = app.countRecords(project.id);
        const reply = await client.call(name, input);
        const records = app.records(project.id, before);
        expect(records.map((record) => [record.action, record.status])).toEqual([[action, status]]);
        expect(records[0]?.payload).toMatchObject({
          transport: "mcp",
          client_name: "test-client/1.2.3",
          ip_address: "127.0.0.1",
          user_agent: expect.stringContaining("Bun"),
        });
        if (!reply.isError) expectSameInText(reply);
        return reply;
      },
    };
  };

  test("saves, finds, changes, lists and deletes a memory, with a record of each call", async () => {
    const { use, close } = await open();
    const saved = await use(
      "memory_save",
      {
        content: "Releases go out on Tuesdays.",
        type: "fact",
        importance: 0.8,
        expires_at: "2099-01-02T03:04:05Z",
      },
      "memory.create",
      201,
    );
    const { id = null } = saved.structured;
    expect(saved.structured).toEqual({ status: "created", id: expect.stringMatching(/^[0-9a-f]{32}$/) });

    const shown = {
      id,
      content: "Releases go out on Tuesdays.",
      type: "fact",
      updated_at: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\dZ$/),
      expires_at: "2099-01-02T03:04Z",
    };
    const found = await use(
      "memory_search",
      { query: "When do we release?", top_k: 3 },
      "memory.search",
      200,
    );
    expect<unknown>(found.structured).toEqual({ results: [{ ...shown, relevance: expect.any(Number) }] });
    const none = await use(
      "memory_search",
      { query: "When do we release?", type: "rule" },
      "memory.search",
      200,
    );
    expect(none.structured).toEqual({ results: [] });
    expect(none.text).toBe("No memory was found.");

    const changes = { id, content: "Releases go out on Wednesdays.", expires_at: null, is_active: false };
    const updated = await use("memory_update", changes, "memory.update", 200);
    expect(updated.structured).toEqual({ status: "updated", id });
    const listed = await use("memory_list", { type: "fact", page: 1 }, "memory.list", 200);
    const { expires_at: _, ...permanent } = shown;
    const changed = {
      ...permanent,
      content: "Releases go out on Wednesdays.",
      importance: 0.8,
      is_active: false,
    };
    expect<unknown>(listed.structured).toEqual({ memories: [changed], page: 1, total_pages: 1, total: 1 });
    expect(listed.text).toContain("is_active false");

    const deleted = await use("memory_delete", { id }, "memory.delete", 204);
    expect(deleted.structured).toEqual({ status: "deleted", id });
    expect((await use("memory_list", {}, "memory.list", 200)).structured).toMatchObject({ total: 0 });
    const again = await use("memory_delete", { id }, "memory.delete", 404);
    expect(again.isError).toBe(true);
    expect(again.text).toContain("memory");
    await close();
  });

  test("keeps tags, and finds and lists by them", async () => {
    const { use, close } = await open();
    const memory = (content: string, tags: string[]) => ({ content, type: "fact", tags });
    await use("memory_save", memory("The office is in Lisbon.", ["team:hr", "places"]), "memory.create", 201);
    const other = await use(
      "memory_save",
      memory("The canteen is in Porto.", ["places"]),
      "memory.create",
      201,
    );
    const query = { query: "Where is it?", tags: ["team:hr", "places"] };
    const found = await use("memory_search", query, "memory.search", 200);
    expect(found.structured).toMatchObject({ results: [{ tags: ["places", "team:hr"] }] });
    const listed = await use("memory_list", { tags: ["places"] }, "memory.list", 200);
    expect(listed.structured).toMatchObject({ total: 2 });
    const { id = null } = other.structured;
    await use("memory_update", { id, tags: ["closed"] }, "memory.update", 200);
    const left = await use("memory_list", { tags: ["places"] }, "memory.list", 200);
    expect(left.structured).toMatchObject({ total: 1 });
    for (const [name, action] of [
      ["memory_list", "memory.list"],
      ["memory_search", "memory.search"],
    ] as const) {
      const wrong = await use(
        name,
        { ...(name === "memory_search" && query), tags: ["a", "\u0000"] },
        action,
        400,
      );
      expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('Argument "tags/1"')]);
    }
    await close();
  });

  test("hears who said what it has found, and when", async () => {
    const { project, use } = await open();
    const said = [
      {
        role: "user",
        name: 'Ana" (id 7)',
        said_at: "2026-03-12T09:00:30Z",
        content: "The office is in Lisbon.",
      },
    ];
    await app.call("POST", "/v1/memories/extract", {
      key: project.key,
      body: { messages: said, conversation: "chat", detail: "verbatim" },
    });
    const origin = { said_by: 'Ana" (id 7)', said_at: "2026-03-12T09:00Z" };
    const found = await use("memory_search", { query: "Where is the office?" }, "memory.search", 200);
    expect(found.structured).toMatchObject({ results: [origin] });
    expect(found.text).toContain('said by "Ana\\" (id 7)", said 2026-03-12T09:00Z');
    const listed = await use("memory_list", {}, "memory.list", 200);
    expect(listed.structured).toMatchObject({ memories: [origin] });
  });

  test("gets the context of tags, and tags what a text says", async () => {
    const { use, close } = await open();
    const memory = (content: string, type: string, tags: string[]) => ({ content, type, tags });
    const first = memory("The shop runs in Lisbon.", "fact", ["shop"]);
    await use("memory_save", first, "memory.create", 201);
    await use("memory_save", memory("The bakery runs in Porto.", "fact", ["bakery"]), "memory.create", 201);
    await use("memory_save", memory("Answer bakers in verse.", "rule", ["bakery"]), "memory.create", 201);
    for (const query of [undefined, "Where does it run?"]) {
      const { structured } = await use("memory_context", { query, tags: ["shop"] }, "memory.inject", 200);
      expect(structured.prompt).toContain("Lisbon");
      expect(structured.prompt).not.toMatch(/Porto|verse/);
    }
    const text = "Ana: We decided that releases go out on Tuesdays.";
    const extracted = await use("memory_extract", { text, tags: ["shop"] }, "memory.extract", 200);
    expect(extracted.structured).toMatchObject({ items: [{ action: "created", tags: ["shop"] }] });
    for (const [tag, total] of [
      ["shop", 2],
      ["bakery", 2],
    ] as const) {
      const listed = await use("memory_list", { tags: [tag] }, "memory.list", 200);
      expect(listed.structured).toMatchObject({ total });
    }
    const wrong = await use("memory_context", { tags: [] }, "memory.inject", 400);
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('Argument "tags"')]);
    await close();
  });

  test("saves a duplicate without an error, and hears the id of the memory", async () => {
    const { use, close } = await open();
    const memory = { content: "The office is in Lisbon.", type: "fact" };
    const first = await use("memory_save", memory, "memory.create", 201);
    const second = await use("memory_save", memory, "memory.create", 409);
    expect(second).toMatchObject({
      isError: false,
      structured: { status: "already known", id: first.structured.id },
    });
    await close();
  });

  test("may send null for an argument that it leaves out, except where null means something", async () => {
    const { use, close } = await open();
    const saved = await use(
      "memory_save",
      { content: "The dog is called Rex.", type: "fact", importance: null, expires_at: null, tags: null },
      "memory.create",
      201,
    );
    const query = "What is the dog called?";
    const found = await use(
      "memory_search",
      { query, type: null, tags: null, top_k: null },
      "memory.search",
      200,
    );
    expect(found.text).toContain("Rex");
    const { id = null } = saved.structured;
    await use("memory_update", { id, expires_at: "2099-01-02T03:04:05Z" }, "memory.update", 200);
    await use("memory_update", { id, expires_at: null, content: null }, "memory.update", 200);
    const listed = await use("memory_list", { type: null, page: null }, "memory.list", 200);
    expect(listed.text).toContain("Rex");
    expect(listed.text).not.toContain("2099-01-02");
    const refused = await use("memory_search", { query: null }, "memory.search", 400);
    expect(refused.text).toContain('Argument "query"');
    await close();
  });

  test("gets the context with and without a query", async () => {
    const { use, close } = await open();
    expect((await use("memory_context", {}, "memory.inject", 200)).text).toContain("No memory was found.");
    await use("memory_save", { content: "Never deploy on Fridays.", type: "rule" }, "memory.create", 201);
    await use(
      "memory_save",
      { content: "The database runs on port 5433.", type: "fact" },
      "memory.create",
      201,
    );
    for (const input of [{}, { query: "Which port does the database use?" }]) {
      const { structured, text } = await use("memory_context", input, "memory.inject", 200);
      expect(structured).toEqual({ prompt: expect.stringContaining("Never deploy on Fridays.") });
      expect(text).not.toContain("omitted");
      expect(structured.prompt).toContain("5433");
    }
    const short = await use("memory_context", { max_characters: 0 }, "memory.inject", 200);
    expect(short.structured).toMatchObject({ omitted: 1 });
    expect(short.text).toContain("omitted because of max_characters: 1");
    await close();
  });

  test("hears the difference between no relevant memory and one that is too long", async () => {
    const { use, sdk, close } = await open();
    await use(
      "memory_save",
      { content: "The database runs on port 5433.", type: "fact" },
      "memory.create",
      201,
    );
    const query = "Who won the chess tournament?";
    expect((await use("memory_context", { query }, "memory.inject", 200)).text).toContain(
      "No memory was found.",
    );
    const { messages } = await sdk.getPrompt({ name: "context", arguments: { query } });
    expect(messages).toMatchObject([{ content: { text: "No memory was found." } }]);
    const { text } = await use("memory_context", { max_characters: 0 }, "memory.inject", 200);
    expect(text).toContain("No memory fits into max_characters.");
    await close();
  });

  test("extracts memories, first without saving them", async () => {
    const { use, close } = await open();
    const input = { text: "Ana: We decided that releases go out on Tuesdays. Lovely weather today!" };
    const rehearsed = await use("memory_extract", { ...input, dry_run: true }, "memory.extract", 200);
    expect(rehearsed.structured).toMatchObject({ dry_run: true, items: [{ action: "created", id: null }] });
    expect(rehearsed.text).toContain("nothing was saved");
    const stored = await use("memory_extract", input, "memory.extract", 200);
    expect(stored.structured).toMatchObject({
      items: [
        {
          action: "created",
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          content: expect.stringContaining("Tuesdays"),
        },
      ],
    });
    await close();
  });

  test("hears which secrets of a text have become no memory, and never the secrets", async () => {
    const { use, close } = await open();
    const text = "Ana: The password of the router is hunter2-Blue-Horse. Releases go out on Tuesdays.";
    const { structured, text: shown } = await use("memory_extract", { text }, "memory.extract", 200);
    expect(structured.redacted).toEqual([{ kind: "password", count: 1 }]);
    expect(JSON.stringify(structured) + shown).not.toContain("hunter2");
    await close();
  });

  test("hears in its own words what is wrong with an argument, and the call has a record", async () => {
    const { use, close } = await open();
    const wrong: [string, Record<string, unknown>, string, number, string][] = [
      ["memory_save", { content: "Anything.", type: "opinion" }, "memory.create", 400, 'Argument "type"'],
      ["memory_save", { type: "fact" }, "memory.create", 400, 'Argument "content" is required'],
      ["memory_save", { content: 5, type: "fact" }, "memory.create", 400, 'Argument "content"'],
      [
        "memory_save",
        { content: "Anything.", memory_type: "fact" },
        "memory.create",
        400,
        'did you mean "type"?',
      ],
      ["memory_search", { query: "x", mode: "semantic" }, "memory.search", 400, "known arguments are query"],
      ["memory_search", { query: "x", top_k: 1000 }, "memory.search", 400, 'Argument "top_k"'],
      ["memory_update", { id: "nonsense", importance: 1 }, "memory.update", 404, "List memories"],
      [
        "memory_update",
        { id: "nonsense" },
        "memory.update",
        400,
        "at least one of content, type, importance, is_active, expires_at, tags",
      ],
      ["memory_extract", {}, "memory.extract", 400, "text"],
    ];
    for (const [name, input, action, status, message] of wrong) {
      const reply = await use(name, input, action, status);
      expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining(message)]);
    }
    await close();
  });

  test("reads the rules and the context without a tool, with a record of each", async () => {
    const { use, project, sdk, close } = await open();
    await use(
      "memory_save",
      { content: "Never deploy on Fridays.\n# Not a heading", type: "rule" },
      "memory.create",
      201,
    );
    await use(
      "memory_save",
      { content: "The database runs on port 5433.", type: "fact" },
      "memory.create",
      201,
    );
    expect((await sdk.listResources()).resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["memledger://rules", "text/markdown"],
    ]);
    const before = app.countRecords(project.id);
    const { contents } = await sdk.readResource({ uri: "memledger://rules" });
    expect(contents).toEqual([
      {
        uri: "memledger://rules",
        mimeType: "text/markdown",
        text: "# Rules\n\n- Never deploy on Fridays. # Not a heading\n",
      },
    ]);
    const [prompt] = (await sdk.listPrompts()).prompts;
    expect(prompt?.arguments?.map(({ name, required }) => [name, required])).toEqual([["query", false]]);
    for (const args of [undefined, {}, { query: "" }, { query: "Which port does the database use?" }]) {
      const { messages } = await sdk.getPrompt({ name: "context", ...(args && { arguments: args }) });
      expect(JSON.stringify(messages)).toContain("5433");
    }
    expect(app.records(project.id, before).map(({ action }) => action)).toEqual(
      Array(5).fill("memory.inject"),
    );
    await expect(sdk.readResource({ uri: "memledger://secrets" })).rejects.toThrow(
      /not found|memledger:\/\/secrets/i,
    );
    const unknown = sdk.getPrompt({ name: "context", arguments: { top_k: "1" } });
    await expect(unknown).rejects.toThrow("known arguments are query");
    await expect(sdk.getPrompt({ name: "nonsense" })).rejects.toThrow("known prompts are context");
    await close();
  });

  test("hears the progress of an extraction", async () => {
    const { sdk, close } = await open();
    const progress: number[] = [];
    const text = "Ana: Releases go out on Tuesdays.\nBob: I am allergic to peanuts.\n";
    await sdk.callTool(
      { name: "memory_extract", arguments: { text } },
      { onprogress: (each) => void progress.push(each.progress) },
    );
    expect(progress.length).toBeGreaterThanOrEqual(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(new Set(progress).size).toBe(progress.length);
    expect(Math.max(...progress)).toBeLessThanOrEqual(1);
    await close();
  });
});

test("the relevance of a memory has one scale, and a result says whether the order is that of the reranker", async () => {
  for (const rerank of ["on", "off"] as const) {
    const server = await startTestApp({ rerank });
    const client = await connect(server, server.apiKey, "2026-07-28");
    const texts = [
      "Releases go out on Tuesdays.",
      "The canteen closes at three.",
      "Dana reviews each release.",
    ];
    for (const content of texts) await client.call("memory_save", { content, type: "fact" });
    const found = await client.call("memory_search", { query: "When do we release?" });
    const body = { query: "When do we release?", mode: "hybrid", rerank: "off" };
    const { data } = await server.call("POST", "/v1/memories/search", { body });
    const expected = objectsIn(data.results).map(({ memory, score_details }) => [
      isObject(memory) ? memory.id : null,
      isObject(score_details) ? Number(Number(score_details.relevance).toFixed(2)) : null,
    ]);
    const shown = objectsIn(found.structured.results).map(({ id, relevance }) => [id, relevance]);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(found.structured.reranked).toBe(rerank === "on" ? true : undefined);
    await client.close();
    await server.stop();
  }
});

test("an auditor reads how a call arrived and from which program", async () => {
  const client = await connect(app, app.apiKey, "2026-07-28");
  await client.call("memory_list", {});
  await client.close();
  const { data } = await app.call("GET", "/v1/audit/logs?action=memory.list&page_size=1");
  const [record] = Array.isArray(data.logs) ? data.logs : [];
  const id = isObject(record) ? record.id : null;
  const detail = await app.call("GET", `/v1/audit/logs/${id}`);
  expect(detail.data).toMatchObject({ id, transport: "mcp", client_name: "test-client/1.2.3" });
});

test("the SDK of the 2025 protocols finds a memory", async () => {
  const client = await connectPrevious(app.url, app.apiKey);
  const content = "The canteen closes at three.";
  await client.callTool({ name: "memory_save", arguments: { content, type: "fact" } });
  const query = "When does the canteen close?";
  const found = await client.callTool({ name: "memory_search", arguments: { query } });
  expect(isObject(found.structuredContent)).toBe(true);
  expect(JSON.stringify(found.structuredContent)).toContain(content);
  expect(app.records(app.projectId).at(-1)?.payload).toMatchObject({ client_name: "test-client/1.2.3" });
  await client.close();
});
