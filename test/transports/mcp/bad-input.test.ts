// Plays broken and hostile clients of MCP: each gets the answer that the protocol prescribes, and the server serves the next one.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectSocket } from "node:net";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { bodiesMaxBytesPerProject, bodyMaxBytes } from "../../../src/platform/limits.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, eras, post, type RawReply, rpc, toolCall } from "./clients.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(async () => {
  const { status, json } = await post(app.url, app.apiKey, rpc("ping"));
  expect([status, json]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
});

const send = (body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RawReply> =>
  post(app.url, app.apiKey, body, headers);
const deep = `${"[".repeat(100)}${"]".repeat(100)}`;

describe("a body that is no message", () => {
  test.each<[string, string | Uint8Array, number, number, string]>([
    ["that is empty", "", 400, -32700, "is empty"],
    ["that is no JSON", "{", 400, -32700, "not valid JSON"],
    ["that is text", "hello", 400, -32700, "not valid JSON"],
    ["that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, -32700, "UTF-8"],
    ["with too many levels", deep, 400, -32700, "levels"],
    ["with a name twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32700, 'Member "id"'],
    ["with too many values", `[${"1,".repeat(60_000)}1]`, 400, -32700, "values"],
    ["that is too large", `"${"x".repeat(bodyMaxBytes)}"`, 413, -32000, "larger than"],
  ])("%s", async (_, body, status, code, message) => {
    const before = app.countRecords(app.projectId);
    const reply = await send(body);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([
      status,
      expect.stringContaining("application/json"),
    ]);
    expect(reply.json).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: expect.stringContaining(message) },
    });
    expect(app.countRecords(app.projectId)).toBe(before);
  });

  test.each<[string, unknown]>([
    ["a number", 5],
    ["null", null],
    ["an empty object", {}],
    ["an empty batch", []],
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 5 }],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }],
    ["parameters that are a text", { jsonrpc: "2.0", id: 1, method: "tools/call", params: "x" }],
  ])("that is %s", async (_, body) => {
    const before = app.countRecords(app.projectId);
    const { status, json } = await send(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      jsonrpc: "2.0",
      error: { code: expect.any(Number), message: expect.any(String) },
    });
    expect(app.countRecords(app.projectId)).toBe(before);
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ["with another media type", { "Content-Type": "text/plain" }, 415],
    ["that is compressed", { "Content-Encoding": "gzip" }, 415],
    ["whose client takes no events", { Accept: "application/json" }, 406],
  ])("%s", async (_, headers, status) => {
    const reply = await send(rpc("ping"), headers);
    expect([reply.status, reply.json]).toMatchObject([status, { error: { message: expect.any(String) } }]);
  });
});

describe("a message that asks for something that is not there", () => {
  test.each<[string, unknown, number]>([
    ["an unknown tool", toolCall("memory_delete_all", {}), -32602],
    ["a tool without a name", rpc("tools/call", {}), -32602],
    ["an unknown method", rpc("ledger/erase"), -32601],
    ["a method of the server's own", rpc("__proto__"), -32601],
    ["an unknown resource", rpc("resources/read", { uri: "file:///etc/passwd" }), -32602],
  ])("%s", async (_, body, code) => {
    const before = app.countRecords(app.projectId);
    const { json } = await send(body);
    expect(json).toMatchObject({ id: 1, error: { code } });
    expect(app.countRecords(app.projectId)).toBe(before);
  });

  test.each<[string, JsonObject, string]>([
    ["tools/call", { name: 5 }, 'Parameter "name" must be a string.'],
    ["tools/call", { name: "memory_list", arguments: null }, 'Parameter "arguments" must be a JSON object.'],
    ["tools/list", { cursor: 5 }, 'Parameter "cursor" must be a string.'],
    ["resources/read", {}, 'Parameter "uri" is required.'],
    [
      "prompts/get",
      { name: "context", arguments: { query: 5 } },
      'Parameter "arguments/query" must be a string.',
    ],
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {} },
      'Parameter "clientInfo" is required.',
    ],
  ])("%s is told which of its parameters is wrong: %j", async (method, params, message) => {
    const before = app.countRecords(app.projectId);
    const { json } = await send(rpc(method, params));
    expect(json).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32602, message } });
    expect(app.countRecords(app.projectId)).toBe(before);
  });

  test("an unknown tool is told which tools there are", async () => {
    const { json } = await send(toolCall("memory_serach", {}));
    expect(JSON.stringify(json)).toContain("did you mean");
    expect(JSON.stringify((await send(toolCall("x".repeat(100_000), {}))).json).length).toBeLessThan(1_000);
  });
});

describe("the version of the protocol", () => {
  const claim = (version: string) => ({
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  });
  const modern = { "MCP-Protocol-Version": "2026-07-28" };

  test("in a header is refused if it is not supported", async () => {
    const { status, text } = await send(rpc("tools/list"), { "MCP-Protocol-Version": "1999-01-01" });
    expect([status, text]).toEqual([400, expect.stringContaining("2025-11-25")]);
  });

  test("in a message is refused if it is not supported, and the answer names those that are", async () => {
    const headers = { "MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list" };
    const { status, json } = await send(rpc("tools/list", { _meta: claim("2099-01-01") }), headers);
    expect([status, json]).toMatchObject([
      400,
      { id: 1, error: { data: { supported: ["2026-07-28"], requested: "2099-01-01" } } },
    ]);
  });

  test("is negotiated in initialize: an unknown one is answered with the newest of 2025", async () => {
    for (const [asked, answered] of [
      ["2025-11-25", "2025-11-25"],
      ["2025-06-18", "2025-06-18"],
      ["2025-03-26", "2025-03-26"],
      ["1999-01-01", "2025-11-25"],
    ]) {
      const params = {
        protocolVersion: asked ?? "",
        capabilities: {},
        clientInfo: { name: "raw", version: "1" },
      };
      const { json, headers } = await send(rpc("initialize", params));
      expect(json.result).toMatchObject({ protocolVersion: answered, serverInfo: { name: "memledger" } });
      expect(headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]+$/);
    }
  });

  test("of 2026 needs headers that say the same as the message", async () => {
    const _meta = claim("2026-07-28");
    const call = { name: "memory_list", arguments: {}, _meta };
    const before = app.countRecords(app.projectId);
    for (const headers of [
      { ...modern, "Mcp-Method": "tools/list" },
      { ...modern, "Mcp-Method": "tools/call", "Mcp-Name": "memory_delete" },
      { ...modern, "Mcp-Method": "tools/call" },
      modern,
    ]) {
      const { status, json } = await send(rpc("tools/call", call), headers);
      expect([status, json]).toMatchObject([400, { id: 1, error: { code: -32020 } }]);
    }
    expect(app.countRecords(app.projectId)).toBe(before);
    const right = { ...modern, "Mcp-Method": "tools/call", "Mcp-Name": "memory_list" };
    expect((await send(rpc("tools/call", call), right)).json.result).toMatchObject({
      structuredContent: { page: 1 },
    });
    expect(app.records(app.projectId).at(-1)?.payload).toMatchObject({ client_name: "raw/1" });
  });

  test("of 2026 has no batches", async () => {
    const headers = { ...modern, "Mcp-Method": "tools/list" };
    const message = rpc("tools/list", { _meta: claim("2026-07-28") });
    expect((await send([message, message], headers)).status).toBe(400);
  });
});

test("a batch of 2025 is answered message by message, and a larger one is refused", async () => {
  const before = app.countRecords(app.projectId);
  const { status, text } = await send([
    toolCall("memory_list", {}, 1),
    toolCall("nonsense", {}, 2),
    rpc("ping", {}, "three"),
  ]);
  expect(status).toBe(200);
  expect(text).toContain('"id":1');
  expect(text).toContain('"id":2,"error"');
  expect(text).toContain('"id":"three"');
  expect(app.records(app.projectId, before).map(({ action }) => action)).toEqual(["memory.list"]);
  const tooMany = await send(Array.from({ length: 101 }, (_, id) => rpc("ping", {}, id)));
  expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining("100")]);
});

test("notifications and answers to questions that nobody asked are accepted and forgotten", async () => {
  const before = app.countRecords(app.projectId);
  for (const message of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: {} } },
    { jsonrpc: "2.0", id: 7, result: {} },
  ]) {
    const { status, text } = await send(message);
    expect([status, text]).toEqual([202, ""]);
  }
  expect(app.countRecords(app.projectId)).toBe(before);
});

test.each(["GET", "DELETE", "PUT"])("%s is not allowed, because there is no session", async (method) => {
  const response = await fetch(`${app.url}/mcp`, {
    method,
    headers: { Authorization: `Bearer ${app.apiKey}` },
  });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
});

test.each([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/mcp/",
  "/mcp/.well-known/openid-configuration",
])("%s is a plain 404", async (path) => {
  const response = await fetch(app.url + path);
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
  expect(await response.json()).toMatchObject({ success: false, code: 1404 });
});

test.each([
  "nonsense",
  "a.b",
  `${"x".repeat(5_000)}.${"y".repeat(16)}`,
  `${Buffer.from([0xff, 0xfe]).toString("base64url")}.${"y".repeat(16)}`,
])("the session id %p is ignored: it is only a name", async (sessionId) => {
  const { status } = await send(toolCall("memory_list", {}), { "Mcp-Session-Id": sessionId });
  expect(status).toBe(200);
  const { payload } = app.records(app.projectId).at(-1) ?? {};
  expect(payload).toMatchObject({ transport: "mcp", user_agent: expect.any(String) });
  expect(payload).not.toHaveProperty("client_name");
});

test("the name of a client has no control characters in its records, which people read on terminals", async () => {
  const name = "a\u001b[31m\r\nb";
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name, version: "1" } };
  const { headers } = await send(rpc("initialize", params));
  const forged = `${Buffer.from(`${name}/1`).toString("base64url")}.${"a".repeat(16)}`;
  for (const sessionId of [headers.get("mcp-session-id") ?? "", forged]) {
    await send(toolCall("memory_list", {}), { "Mcp-Session-Id": sessionId });
    expect(app.records(app.projectId).at(-1)?.payload).toMatchObject({ client_name: "a [31m b/1" });
  }
});

test("a token that is too long to be repeated with each notification gets no progress", async () => {
  const progressOf = async (progressToken: string) => {
    const args = { text: "Dana: I have moved to Porto.", dry_run: true };
    const params = { name: "memory_extract", arguments: args, _meta: { progressToken } };
    const { text, json } = await send(rpc("tools/call", params));
    expect(json.result).toMatchObject({ structuredContent: { dry_run: true } });
    return text.split("notifications/progress").length - 1;
  };
  expect(await progressOf("x".repeat(1_000))).toBeGreaterThan(0);
  expect(await progressOf("x".repeat(1_001))).toBe(0);
});

test.each([
  ["test-client", "1.2.3", "test-client/1.2.3"],
  ["Zoë's agent", "", "Zoë's agent"],
  ["\u{1F600}".repeat(300), "1", "\u{1F600}".repeat(100)],
  ["x\u{1F600}".repeat(300), "1", `${"x\u{1F600}".repeat(66)}x`],
  ["\ufffd", "1", "\ufffd/1"],
])(
  "the client %p is recorded by the name that it has sent in initialize",
  async (name, version, recorded) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name, version } };
    const { headers } = await send(rpc("initialize", params));
    await send(toolCall("memory_list", {}), { "Mcp-Session-Id": headers.get("mcp-session-id") ?? "" });
    expect(app.records(app.projectId).at(-1)?.payload).toMatchObject({ client_name: recorded });
  },
);

test("an argument that is too long for a memory is refused, and its record has what was sent", async () => {
  const client = await connect(app, app.apiKey, "2026-07-28");
  const before = app.countRecords(app.projectId);
  const content = "x".repeat(10_001);
  const reply = await client.call("memory_save", { content, type: "fact" });
  expect(reply).toMatchObject({ isError: true, text: expect.stringContaining("maximum is 10000") });
  const [record] = app.records(app.projectId, before);
  expect([record?.action, record?.status]).toEqual(["memory.create", 400]);
  expect(record?.payload.request_body).toMatchObject({ content });
  await client.close();
});

describe.each(eras)("a client of %s", (era) => {
  test("that sends text which JSON cannot keep is told so", async () => {
    const client = await connect(app, app.apiKey, era);
    for (const content of ["\ud800", "\0", "   "]) {
      const reply = await client.call("memory_save", { content, type: "fact" });
      expect([reply.isError, reply.text]).toEqual([true, expect.stringContaining('"content"')]);
    }
    await client.close();
  });
});

test("the bodies of a project that arrive at the same time are limited in all, as over HTTP", async () => {
  const project = await app.createProject("custom");
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${project.key}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${bodyMaxBytes}`,
  ].join("\r\n");
  const answers: string[] = [];
  const refused = Promise.withResolvers<void>();
  const sockets = Array.from({ length: bodiesMaxBytesPerProject / bodyMaxBytes + 1 }, () => {
    const socket = connectSocket(app.port, "127.0.0.1");
    socket.on("data", (data) => {
      answers.push(String(data));
      refused.resolve();
    });
    socket.write(`${head}\r\n\r\n{`);
    return socket;
  });
  await refused.promise;
  expect(answers[0]).toStartWith("HTTP/1.1 429");
  expect(answers[0]).toContain("bodies of the project");
  for (const socket of sockets) socket.destroy();
  const limit = async () => (await post(app.url, project.key, `{${" ".repeat(bodyMaxBytes - 2)}}`)).status;
  // The server frees the memory when it has seen that the clients have left.
  while ((await limit()) === 429) await Bun.sleep(10);
  expect(await limit()).toBe(400);
});

test("no answer may be stored or taken for a page", async () => {
  for (const { headers } of [
    await send(rpc("ping")),
    await send("{"),
    await post(app.url, null, rpc("ping")),
  ]) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toMatch(/^no-(store|cache)/);
  }
});

test("a client that hangs up in the middle of a body or an answer leaves nothing behind", async () => {
  const whole = JSON.stringify(toolCall("memory_search", { query: "Where?" }));
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${app.apiKey}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${whole.length}`,
  ].join("\r\n");
  for (const sent of [whole.slice(0, 20), whole]) {
    const socket = connectSocket(app.port, "127.0.0.1");
    await new Promise<void>((resolve) => socket.write(`${head}\r\n\r\n${sent}`, () => resolve()));
    socket.resetAndDestroy();
  }
});
