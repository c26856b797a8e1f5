// Requests that are no conversations: to the upstream of their model, or to the one that has what they ask for, byte for byte, with a record.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { openRaw } from "../transports/http/raw.ts";
import { startTestGateway, type TestGateway, upstreamKey } from "./exchanges.ts";
import { cut, eventStream, type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";
import { responseAnswer, responseEvents } from "./upstream-shapes.ts";

let gateway: TestGateway;
/** The last upstream of both APIs. */
let second: FakeUpstream;
let client: OpenAI;
beforeAll(async () => {
  second = await startFakeUpstream();
  const table = (kind: string, url: string) =>
    `[[gateway.upstreams]]\nname = "second-${kind}"\nkind = "${kind}"\nbase-url = "${url}"\nmodels = ["other-*"]\n`;
  gateway = await startTestGateway(
    `${table("openai", `${second.origin}/v1`)}\n${table("anthropic", second.origin)}`,
  );
  client = new OpenAI({ baseURL: `${gateway.app.url}/v1`, apiKey: gateway.app.apiKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await second.close();
});
afterEach(() => {
  for (const each of [gateway.openai, gateway.anthropic, second]) each.answerWith(null);
});

const last = (upstream: FakeUpstream) => upstream.received.at(-1);
const routeOf = (upstream: FakeUpstream) => `${last(upstream)?.method} ${last(upstream)?.path}`;

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return fetch(`${gateway.app.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.app.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function record(): Promise<JsonObject> {
  const { entry } = gateway.lastRecord();
  return (await gateway.app.call("GET", `/v1/audit/logs/${entry.id}`)).data;
}

describe("a request that names its model goes to the upstream of the model", () => {
  const anthropic = { "anthropic-version": "2023-06-01" };
  const batch = { requests: [{ custom_id: "1", params: { model: "claude", max_tokens: 1, messages: [] } }] };
  test.each<[string, string, unknown, "openai" | "anthropic" | "second"]>([
    ["POST", "/v1/completions", { model: "fake", prompt: "Once" }, "openai"],
    ["POST", "/v1/completions", { model: "other-1", prompt: "Once" }, "second"],
    ["POST", "/v1/moderations", { model: "fake", input: "Hello" }, "openai"],
    ["POST", "/v1/images/generations", { model: "other-image", prompt: "A cat" }, "second"],
    ["POST", "/v1/audio/speech", { model: "other-voice", input: "Hello" }, "second"],
    ["POST", "/v1/responses/input_tokens", { model: "fake", input: "Hello" }, "openai"],
    ["POST", "/v1/messages/batches", batch, "anthropic"],
    ["GET", "/v1/models/fake", undefined, "openai"],
    ["GET", "/v1/models/other-1%2Fb", undefined, "second"],
    ["GET", "/v1/models/claude", undefined, "anthropic"],
  ])("%s %s with %j", async (method, path, body, of) => {
    const upstream = { openai: gateway.openai, anthropic: gateway.anthropic, second }[of];
    const answer =
      path === "/v1/completions"
        ? '{"choices": [{"index": 0, "text": "upon"}]}'
        : `{"ok": true,\n  "path": ${JSON.stringify(path)}}`;
    upstream.answerWith(() => ({ headers: { "x-request-id": "r1" }, body: cut(answer, 5) }));
    const response = await send(method, `${path}?a=b`, body, of === "anthropic" ? anthropic : {});
    expect([response.status, await response.text()]).toEqual([200, answer]);
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(routeOf(upstream)).toBe(`${method} ${path}?a=b`);
    if (body !== undefined) expect(last(upstream)?.body.toString()).toBe(JSON.stringify(body));
    expect(await record()).toMatchObject({
      id: response.headers.get("memledger-record"),
      action: "gateway.forward",
      is_success: true,
      request_body: body ?? {},
      output_content: path === "/v1/completions" ? { text: "upon" } : { ok: true, path },
      request_parameters: { method, path, query: "?a=b" },
    });
  });

  test("a form with a file names it, too; the record has the digest of the file", async () => {
    second.answerWith(() => ({
      body: '{"text":"Hello","usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}',
    }));
    const file = await toFile(Buffer.from("RIFF of a voice"), "voice.wav", { type: "audio/wav" });
    const { text } = await client.audio.transcriptions.create({ model: "other-whisper", file });
    expect(text).toBe("Hello");
    expect(last(second)?.body.toString("latin1")).toContain("RIFF of a voice");
    const { request_body, tokens, model_id } = await record();
    const sha256 = new Bun.CryptoHasher("sha256").update("RIFF of a voice").digest("hex");
    expect(request_body).toMatchObject({
      model: "other-whisper",
      file: { name: "voice.wav", bytes: 15, sha256 },
    });
    expect(tokens).toMatchObject({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
    expect(model_id).toBe("other-whisper");
  });

  test("an unknown model is an error in the form of the API", async () => {
    for (const headers of [{}, { "anthropic-version": "2023-06-01" }]) {
      const response = await send("GET", "/v1/models/unknown", undefined, headers);
      expect(response.status).toBe(404);
      const { error } = (await response.json()) as { error: { type: string } };
      expect(error.type).toBe("anthropic-version" in headers ? "not_found_error" : "invalid_request_error");
      expect((await record()).http_status).toBe(404);
    }
  });
});

describe("a request without a model goes to the upstream that has what it asks for", () => {
  const paths: readonly [string, string][] = [
    ["GET", "/v1/responses/resp_1"],
    ["DELETE", "/v1/responses/resp_1"],
    ["POST", "/v1/responses/resp_1/cancel"],
    ["GET", "/v1/responses/resp_1/input_items"],
    ["GET", "/v1/files"],
    ["GET", "/v1/files/file-1"],
    ["DELETE", "/v1/files/file-1"],
    ["GET", "/v1/batches/batch_1"],
    ["POST", "/v1/batches/batch_1/cancel"],
    ["POST", "/v1/vector_stores/vs_1/search"],
    ["GET", "/v1/conversations/conv_1/items"],
    ["GET", "/v1/chat/completions"],
    ["DELETE", "/v1/chat/completions/chatcmpl-1"],
  ];
  test.each(paths)("%s %s", async (method, path) => {
    const answer = { id: "x", object: "thing" };
    // The first upstreams have nothing of that name, and say so.
    for (const upstream of [gateway.openai, second]) {
      upstream.answerWith(() => ({ body: JSON.stringify(answer) }));
      const response = await send(method, path, method === "POST" ? {} : undefined);
      expect([response.status, await response.json()]).toEqual([200, answer]);
      expect(routeOf(upstream)).toBe(`${method} ${path}`);
      expect(JSON.stringify(last(second)?.headers ?? {})).not.toContain(upstreamKey);
      gateway.openai.answerWith(null);
    }
    expect(await record()).toMatchObject({ gateway_id: "second-openai", output_content: answer });
  });

  test("of Anthropic: the batches of messages", async () => {
    second.answerWith(() => ({ body: '{"id":"msgbatch_1"}' }));
    const headers = { "anthropic-version": "2023-06-01" };
    expect((await send("GET", "/v1/messages/batches/msgbatch_1", undefined, headers)).status).toBe(200);
    expect(routeOf(gateway.anthropic)).toBe("GET /v1/messages/batches/msgbatch_1");
    expect(routeOf(second)).toBe("GET /v1/messages/batches/msgbatch_1");
  });

  test("if none has it, the client gets the answer of the last one", async () => {
    const response = await send("GET", "/v1/files/file-1");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { message: "no such route" } });
    expect(await record()).toMatchObject({ http_status: 404, is_success: false, error_msg: "no such route" });
  });

  test("an error of an upstream is its answer, and no other one is asked", async () => {
    const before = second.received.length;
    gateway.openai.answerWith(() => ({ status: 400, body: '{"error":{"message":"bad id"}}' }));
    expect((await send("GET", "/v1/files/file-1")).status).toBe(400);
    expect(second.received.length).toBe(before);
  });

  test("a key of the client goes to the first one alone", async () => {
    const before = second.received.length;
    const headers = { "memledger-upstream-key": "sk-of-the-client-0123456789" };
    expect((await send("GET", "/v1/files/file-1", undefined, headers)).status).toBe(404);
    expect(last(gateway.openai)?.headers.authorization).toBe("Bearer sk-of-the-client-0123456789");
    expect(second.received.length).toBe(before);
  });
});

describe("answers of other kinds", () => {
  test("the content of a file passes byte for byte, and the record has its digest", async () => {
    const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7) % 256));
    second.answerWith(() => ({ headers: { "Content-Type": "audio/mpeg" }, body: bytes }));
    const response = await send("POST", "/v1/audio/speech", { model: "other-voice", input: "Hello" });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    expect(await record()).toMatchObject({
      is_success: true,
      output_content: { media_type: "audio/mpeg", bytes: 3_000, sha256 },
    });
  });

  test("the data of an image is in the record as its digest", async () => {
    const image = Buffer.alloc(4_096, 7);
    second.answerWith(() => ({ body: JSON.stringify({ data: [{ b64_json: image.toString("base64") }] }) }));
    await (await send("POST", "/v1/images/generations", { model: "other-image", prompt: "A cat" })).text();
    const { output_content } = await record();
    const sha256 = new Bun.CryptoHasher("sha256").update(image).digest("hex");
    expect(output_content).toMatchObject({ data: [{ b64_json: { bytes: 4_096, sha256 } }] });
  });

  test("a completion of a text is streamed, and assembled for the record", async () => {
    const chunk = (text: string, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: "cmpl-1", object: "text_completion", model: "fake", choices: [{ index: 0, text, finish_reason }] })}\n\n`;
    const text = `${chunk("upon ", null)}${chunk("a time", "stop")}data: [DONE]\n\n`;
    gateway.openai.answerWith(() => ({ headers: eventStream, body: cut(text, 9), end: "hang" }));
    const stream = await client.completions.create({ model: "fake", prompt: "Once", stream: true });
    let said = "";
    for await (const { choices } of stream) said += choices[0]?.text ?? "";
    expect(said).toBe("upon a time");
    expect(await record()).toMatchObject({
      is_success: true,
      input_content: ["Once"],
      output_content: { text: "upon a time" },
    });
  });

  test("a stored response is streamed again; one that is cut is a failure", async () => {
    const events = responseEvents("fake", "Hello there");
    gateway.openai.answerWith(() => ({ headers: eventStream, body: events }));
    expect(await (await send("GET", "/v1/responses/resp_1?stream=true")).text()).toBe(events.join(""));
    expect(await record()).toMatchObject({ is_success: true, output_content: { text: "Hello there" } });
    gateway.openai.answerWith(() => ({ headers: eventStream, body: events.slice(0, 4), end: "close" }));
    const response = await send("GET", "/v1/responses/resp_1?stream=true");
    await response.text().catch(() => "");
    const id = response.headers.get("memledger-record");
    while (gateway.lastRecord().entry.id !== id) await Bun.sleep(1);
    expect(await record()).toMatchObject({ http_status: 502, is_success: false, error_code: 1502 });
  });

  test("events of an API that nobody here knows pass, and end well", async () => {
    const events = ['event: image_generation.completed\ndata: {"usage":{"total_tokens":7}}\n\n'];
    second.answerWith(() => ({ headers: eventStream, body: events }));
    const body = { model: "other-image", prompt: "A cat", stream: true };
    expect(await (await send("POST", "/v1/images/generations", body)).text()).toBe(events.join(""));
    expect(await record()).toMatchObject({ is_success: true });
  });

  test("the official client reads, cancels and deletes what it has stored", async () => {
    gateway.openai.answerWith(({ method }) =>
      method === "DELETE"
        ? { body: '{"id":"resp_1","deleted":true}' }
        : { body: JSON.stringify(responseAnswer("fake", "Hi")) },
    );
    expect((await client.responses.retrieve("resp_1")).output_text).toBe("Hi");
    expect((await client.responses.cancel("resp_1")).id).toBe("resp_fake");
    await client.responses.delete("resp_1");
    gateway.openai.answerWith(() => ({ body: '{"id":"file-1","object":"file","filename":"a.jsonl"}' }));
    const file = await toFile(Buffer.from("{}\n"), "a.jsonl");
    expect((await client.files.create({ purpose: "batch", file })).id).toBe("file-1");
    expect((await record()).request_body).toMatchObject({
      purpose: "batch",
      file: { name: "a.jsonl", bytes: 3 },
    });
  });
});

describe("refused", () => {
  test("without a key, and without the permission, in the form of the API", async () => {
    const { key } = await gateway.app.createKey(gateway.app.projectId, ["memory.read"]);
    const before = gateway.openai.received.length;
    for (const [authorization, status] of [
      ["Bearer ml_unknown", 401],
      [`Bearer ${key}`, 403],
    ] as const) {
      const response = await send("GET", "/v1/files", undefined, { authorization });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    }
    expect(gateway.openai.received.length).toBe(before);
  });

  test.each([
    "/v1/files/..%2f..%2fadmin",
    "/v1/files/%2e%2e/%2e%2e/admin",
    "/v1/files/../../admin",
    "/v1/files/..%5cadmin",
    "/v1/files/a%00b",
    "/v1/files/a%3fb",
    "/v1/files//x",
    "/v1/files/",
    "/v1/admin",
    "/v1/organization/admin_api_keys",
  ])("%s reaches no upstream", async (path) => {
    const before = [gateway.openai, second].map(({ received }) => received.length);
    const connection = openRaw(gateway.app.port);
    connection.send(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${gateway.app.apiKey}\r\n\r\n`,
    );
    expect((await connection.next()).status).toBe(404);
    connection.close();
    expect([gateway.openai, second].map(({ received }) => received.length)).toEqual(before);
  });

  test("a body that is not what its type says", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const broken = await send("POST", "/v1/files", { a: 1 }, headers);
    expect(broken.status).toBe(400);
    const twice = await fetch(`${gateway.app.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.app.apiKey}`, "content-type": "application/json" },
      body: '{"model":"fake","model":"other-1"}',
    });
    expect(twice.status).toBe(400);
    expect(isObject((await twice.json()) as JsonObject)).toBe(true);
  });
});

test("the record of a request says nothing of the address if something was erased meanwhile", async () => {
  const memory = await gateway.remember("Ada keeps the ledger in the attic.");
  gateway.openai.answerWith(() => ({ body: "{}", delayMs: 700 }));
  const sent = gateway.openai.received.length;
  const asked = send("GET", "/v1/files?note=Ada%20keeps%20the%20ledger%20in%20the%20attic");
  while (gateway.openai.received.length === sent) await Bun.sleep(5);
  await gateway.app.administer(eraseRecords, { memory, delete_memory: true });
  await (await asked).text();
  while (gateway.lastRecord().payload.left_out === undefined) await Bun.sleep(5);
  const { action, payload } = gateway.lastRecord();
  expect([action, payload.request_parameters]).toEqual(["gateway.forward", { method: "GET" }]);
  expect(JSON.stringify(payload)).not.toContain("attic");
});
