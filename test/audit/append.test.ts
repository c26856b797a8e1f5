// Proves that a gateway can put its own operations on the ledger, and cannot forge the ledger's.

import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const project = await app.createProject("business");
const { key } = project;
const append = (body: unknown) => app.call("POST", "/v1/audit/logs", { key, body });

const full = {
  action: "gateway.chat",
  http_status: 429,
  model_id: "llama-3.3-70b",
  gateway_id: "edge-1",
  ip_address: "10.0.0.7",
  user_agent: "assistant/2",
  is_cache_hit: true,
  error_code: 77,
  error_msg: "slow down",
  duration: 812.5,
  credits_consumed: 3,
  balance_consumed_usd: 0.0042,
  tokens: { prompt_tokens: 420, completion_tokens: 88, total_tokens: 508 },
  metadata: { team: "blue" },
  request_body: { model: "llama" },
  response_body: { choices: [] },
  input_content: [{ role: "user", content: "hi" }],
  output_content: "hello",
  rag_query: ["q", "q expanded"],
  rag_results: [
    {
      content: "c",
      similarity: 0.5,
      source: { document_id: "d", name: "n", mime_type: "text/plain", file_size: 3 },
    },
  ],
  memory_query: ["m"],
  memory_results: [
    {
      id: "x",
      content: "c",
      memory_type: "fact",
      importance: 0.5,
      similarity: 1,
      final_score: 0.85,
      source: "keyword",
    },
  ],
};

/** Of a call with an API key. */
const noSender = {
  os_uid: null,
  os_user: null,
  sudo_user: null,
  session_id: null,
  performed_for: null,
  reason: null,
};

test("every field comes back, and the record is the call's only one", async () => {
  const before = app.countRecords(project.id);
  const reply = await append(full);
  expect(reply.status).toBe(201);
  expect(reply.data).toEqual({
    ...full,
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    project_id: project.id,
    is_success: false,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    created_at: expect.any(String),
    key_id: expect.any(String),
    seq: before + 1,
    memory_id: null,
    request_parameters: null,
    transport: null,
    administration_key_id: null,
    token_id: null,
    client_name: null,
    redacted: false,
    erased_places: [],
    on_behalf_of: null,
    payload_expired: false,
    performed: false,
    ...noSender,
  });
  expect(app.countRecords(project.id)).toBe(before + 1);
  const read = await app.call("GET", `/v1/audit/logs/${reply.data.id}`, { key });
  expect(read.data).toEqual(reply.data);
  const record = app.records(project.id).at(before);
  expect(record?.entry).toEqual(expect.objectContaining({ action: "gateway.chat", status: 429, code: 77 }));
});

test("two fields are enough", async () => {
  const { status, data } = await append({ action: "rag.query", http_status: 200 });
  expect(status).toBe(201);
  expect(data).toEqual(
    expect.objectContaining({
      is_success: true,
      error_code: null,
      duration: null,
      tokens: null,
      model_id: null,
    }),
  );
});

describe("refused", () => {
  test.each([
    ["an action of the ledger's own", { action: "memory.create", http_status: 200 }, "action"],
    ["an action of the administration", { action: "key.create", http_status: 200 }, "action"],
    ["an action with spaces", { action: "chat now", http_status: 200 }, "action"],
    ["a missing status", { action: "gateway.chat" }, "http_status"],
    ["a status that is none", { action: "gateway.chat", http_status: 99 }, "http_status"],
    ["an id", { action: "gateway.chat", http_status: 200, id: "0".repeat(32) }, "id"],
    ["a hash", { action: "gateway.chat", http_status: 200, hash: "0".repeat(64) }, "hash"],
    ["a project", { action: "gateway.chat", http_status: 200, project_id: "x" }, "project_id"],
    [
      "a time",
      { action: "gateway.chat", http_status: 200, created_at: "2026-01-01T00:00:00Z" },
      "created_at",
    ],
    ["tokens that are no object", { action: "gateway.chat", http_status: 200, tokens: 5 }, "tokens"],
    ["a negative duration", { action: "gateway.chat", http_status: 200, duration: -1 }, "duration"],
  ])("%s", async (_, body, field) => {
    const before = app.countRecords(project.id);
    const reply = await append(body);
    expect([reply.status, reply.code, String(reply.data.field).split("/")[0]]).toEqual([400, 1400, field]);
    expect(app.records(project.id).at(before)?.action).toBe("audit.append");
    expect(app.countRecords(project.id)).toBe(before + 1);
  });

  test.each([
    ["rag_query", "", 100],
    ["memory_query", "", 100],
    ["rag_results", {}, 1_000],
    ["memory_results", {}, 1_000],
  ] as const)("too many items in %s, with the maximum", async (field, item, most) => {
    const body = { action: "gateway.chat", http_status: 200, [field]: Array(most + 1).fill(item) };
    const reason = `has ${most + 1} items; the maximum is ${most}`;
    expect((await append(body)).data).toEqual({ field, reason });
  });

  test.each([
    ['{"action":"gateway.chat","http_status":200,"metadata":{"a":"\\ud800"}}', "lone surrogate"],
    ['{"action":"gateway.chat","http_status":200,"metadata":{"a":1e400}}', "double precision"],
  ])("what cannot be hashed: %s", async (body, reason) => {
    const reply = await append(body);
    expect([reply.status, reply.code]).toEqual([400, 1400]);
    expect(reply.message).toContain(reason);
  });
});

describe("what was found has the shape of the contract", () => {
  const call = { action: "rag.query", http_status: 200 };
  const source = { document_id: "d", name: "n", mime_type: "text/plain", file_size: 3 };
  const passage = { content: "c", similarity: -0.5, source };
  const memory = {
    id: "x",
    content: "c",
    memory_type: "fact",
    importance: 0.5,
    similarity: 1,
    final_score: 0.85,
    source: "semantic",
  };
  const without = (item: JsonObject, name: string) =>
    Object.fromEntries(Object.entries(item).filter(([other]) => other !== name));

  test("and may hold more, which is kept", async () => {
    const more = {
      rag_results: [{ ...passage, page: 3, source: { ...source, url: "https://example.org" } }],
      memory_results: [{ ...memory, project: "other" }],
    };
    const { status, data } = await append({ ...call, ...more });
    expect(status).toBe(201);
    expect(data).toMatchObject(more);
  });

  test.each<[string, JsonObject, string, RegExp]>([
    ["no items", { rag_results: {} }, "rag_results", /must be an array of at most 1000 items or null/],
    ["a text for an item", { rag_results: ["c"] }, "rag_results/0", /must be a JSON object/],
    ["null for an item", { memory_results: [memory, null] }, "memory_results/1", /must be a JSON object/],
    ["no content", { rag_results: [without(passage, "content")] }, "rag_results/0/content", /is required/],
    [
      "content under another name",
      { rag_results: [{ ...without(passage, "content"), Content: "c" }] },
      "rag_results/0/content",
      /is required; did you send it as "Content"\?$/,
    ],
    ["null content", { rag_results: [{ ...passage, content: null }] }, "rag_results/0/content", /a string/],
    [
      "a text for a number",
      { rag_results: [{ ...passage, similarity: "1" }] },
      "rag_results/0/similarity",
      /number/,
    ],
    [
      "a name for a document",
      { rag_results: [{ ...passage, source: "d" }] },
      "rag_results/0/source",
      /object/,
    ],
    [
      "no size",
      { rag_results: [passage, { ...passage, source: without(source, "file_size") }] },
      "rag_results/1/source/file_size",
      /is required/,
    ],
    [
      "a negative size",
      { rag_results: [{ ...passage, source: { ...source, file_size: -1 } }] },
      "rag_results/0/source/file_size",
      /at least 0/,
    ],
    ...Object.keys(memory).map((name): [string, JsonObject, string, RegExp] => [
      `a memory without ${name}`,
      { memory_results: [without(memory, name)] },
      `memory_results/0/${name}`,
      /is required/,
    ]),
    [
      "too important",
      { memory_results: [{ ...memory, importance: 2 }] },
      "memory_results/0/importance",
      /from 0 to 1/,
    ],
  ])("%s", async (_, body, field, reason) => {
    const reply = await append({ ...call, ...body });
    expect([reply.status, reply.code, reply.data.field]).toEqual([400, 1400, field]);
    expect(reply.message).toMatch(reason);
  });
});
