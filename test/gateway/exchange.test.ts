// The operations of the gateway over a real listening server, with upstreams that send what a test has prepared.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { memoryMissesLoggedEveryMs } from "../../src/gateway/limits.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestGateway, type TestGateway, upstreamKey } from "./exchanges.ts";
import { cut, eventStream } from "./fake-upstream.ts";
import { chatEvents, messageEvents, responseEvents } from "./upstream-shapes.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.remember("The wifi password of the office is on the whiteboard in room 4.");
  await gateway.remember("Always answer in complete sentences.", "rule");
});
afterAll(() => gateway[Symbol.asyncDispose]());
afterEach(() => {
  gateway.beforeCommit(null);
  gateway.openai.answerWith(null);
  gateway.anthropic.answerWith(null);
});

const question = "Where is the wifi password of the office?";
const messages = [{ role: "user", content: question }];
const toJson = (value: unknown): JsonObject => (isObject(value) ? value : {});
const lastSent = (upstream = gateway.openai) => {
  const last = upstream.received.at(-1);
  if (last === undefined) throw new Error("nothing was received");
  return { ...last, json: toJson(JSON.parse(last.body.toString("utf8"))) };
};
const lengthOf = (value: Json | undefined) => (Array.isArray(value) ? value.length : null);
const textOf = (value: Json | undefined) => JSON.stringify(value ?? null);

describe("memory", () => {
  test("rules go to the system prompt, facts behind the words of the user, and the record says which", async () => {
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(response.status).toBe(200);
    expect(response.headers.get("memledger-memory")).toBe("injected=2");
    await response.text();
    const [system, user] = (lastSent().json.messages ?? []) as JsonObject[];
    expect(system?.role).toBe("system");
    expect(textOf(system?.content)).toContain("Always answer in complete sentences.");
    expect(textOf(user?.content)).toStartWith(`"${question}`);
    expect(textOf(user?.content)).toContain("whiteboard in room 4");

    const { action, status, entry, payload } = gateway.lastRecord();
    expect([action, status, entry.code, entry.performed]).toEqual(["gateway.chat", 200, 1000, true]);
    expect(response.headers.get("memledger-record")).toBe(String(entry.id));
    expect(payload).toMatchObject({
      model_id: "fake",
      gateway_id: "local",
      transport: "gateway",
      memory: "injected",
      memory_query: [question],
      injection: response.headers.get("memledger-injection-record") ?? "",
      input_content: messages,
      request_body: { model: "fake", messages },
      answer: { end: "complete", has_end: true, finish_reason: "stop" },
    });
    expect(textOf(payload.memory_results)).toContain("whiteboard in room 4");
    expect(textOf(payload.output_content)).toContain("I was told");
    expect(toJson(entry.numbers).tokens).toMatchObject({ prompt_tokens: 20 });
    const { completion_tokens } = toJson(toJson(entry.numbers).tokens);
    expect(toJson(entry.numbers).balance_consumed_usd).toBeCloseTo(
      (20 + Number(completion_tokens) * 2) / 1e6,
      12,
    );
  });

  test("the record of the injection is committed before anything is sent", async () => {
    let before: readonly string[] = [];
    gateway.openai.answerWith(() => {
      before = gateway.app.records(gateway.app.projectId).map(({ entry }) => String(entry.id));
      return null;
    });
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    await response.text();
    expect(before).toContain(response.headers.get("memledger-injection-record") ?? "");
  });

  test("the header says that the request gets none, and the body arrives byte for byte", async () => {
    const body =
      '{ "model":"fake",\n "messages":[{"role":"user","content":"h\\u0065llo"}], "seed": 1.0e2, "x":{"a":[]} }';
    const response = await gateway.post("/v1/chat/completions", body, { "memledger-memory": "off" });
    await response.text();
    expect(lastSent().body.toString("utf8")).toBe(body);
    expect(response.headers.get("memledger-memory")).toBe("skipped");
    expect(gateway.lastRecord().payload.memory_results).toBeUndefined();
  });

  test("an injection that is not complete in time is left out and said, or the request is refused", async () => {
    const complete = Promise.withResolvers<void>();
    gateway.beforeCommit(async ({ operation }) => {
      if (operation === "memory.inject") await complete.promise;
    });
    const quick = { "memledger-memory-tags": "quick" };
    const open = await gateway.post("/v1/chat/completions", { model: "fake-quick", messages }, quick);
    await open.text();
    expect([open.status, open.headers.get("memledger-memory")]).toEqual([200, "failed"]);
    expect(textOf(lastSent().json.messages)).toBe(textOf(messages));
    expect(gateway.lastRecord().payload).toMatchObject({ memory: "failed", memory_query: [question] });
    const sent = gateway.openai.received.length;
    const closed = await gateway.post(
      "/v1/chat/completions",
      { model: "fake-quick", messages },
      { ...quick, "memledger-memory-failure": "closed" },
    );
    complete.resolve();
    expect(closed.status).toBe(503);
    expect(closed.headers.get("retry-after")).toBe("1");
    expect(await closed.json()).toMatchObject({ error: { type: "server_error", code: "unavailable" } });
    expect(gateway.openai.received.length).toBe(sent);
    const { entry, payload } = gateway.lastRecord();
    expect([entry.code, payload.memory, payload.model_id]).toEqual([1503, "failed", "fake-quick"]);
    gateway.app.passTime(memoryMissesLoggedEveryMs);
    await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(gateway.app.complaints.splice(0)).toHaveLength(2);
  });

  test("a key without the permission gets no memory, and no failed injection is recorded", async () => {
    const { key } = await gateway.app.createKey(gateway.app.projectId, ["gateway.use"]);
    const response = await gateway.post(
      "/v1/chat/completions",
      { model: "fake", messages },
      { authorization: `Bearer ${key}` },
    );
    await response.text();
    expect([response.status, response.headers.get("memledger-memory")]).toEqual([200, "skipped"]);
  });

  test("a request that contains the sections already gets nothing twice", async () => {
    await (await gateway.post("/v1/chat/completions", { model: "fake", messages })).text();
    const sent = lastSent();
    const again = await gateway.post("/v1/chat/completions", sent.body);
    await again.text();
    expect(lastSent().body.equals(sent.body)).toBe(true);
    expect(again.headers.get("memledger-memory")).toBe("injected=0");
  });

  test("results of tools stay as they are", async () => {
    const conversation = [
      ...messages,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content: "result" },
    ];
    await (await gateway.post("/v1/chat/completions", { model: "fake", messages: conversation })).text();
    const sent = (lastSent().json.messages ?? []) as JsonObject[];
    expect(sent.at(-1)).toEqual({ role: "tool", tool_call_id: "1", content: "result" });
  });

  test("a malformed header is refused with its name", async () => {
    const malformed = {
      "memledger-memory": "maybe",
      "memledger-memory-budget": "-1",
      "memledger-memory-floor": "2",
      "memledger-memory-tags": "%",
      "memledger-memory-failure": "no",
      "memledger-remember": "1",
    };
    for (const [name, value] of Object.entries(malformed)) {
      const response = await gateway.post(
        "/v1/chat/completions",
        { model: "fake", messages },
        { [name]: value },
      );
      const { error } = toJson(await response.json());
      expect(response.status).toBe(400);
      expect(String(toJson(error).message).toLowerCase()).toContain(name);
      expect(String(toJson(error).param).toLowerCase()).toBe(name);
    }
  });
});

describe("an answer arrives as the upstream has sent it", () => {
  const streams = {
    "/v1/chat/completions": chatEvents("fake", "Hello there, you.", false).join(""),
    "/v1/responses": responseEvents("fake", "Hello there, you.").join(""),
    "/v1/messages": messageEvents("claude", "Hello there, you.").join(""),
  };
  for (const [path, events] of Object.entries(streams)) {
    for (const length of [1, 7, 100_000]) {
      test(`a stream of ${path} in pieces of ${length}`, async () => {
        const isAnthropic = path === "/v1/messages";
        const upstream = isAnthropic ? gateway.anthropic : gateway.openai;
        upstream.answerWith(() => ({
          headers: { ...eventStream, "x-ratelimit-remaining-requests": "7", "request-id": "r1" },
          body: cut(events, length),
        }));
        const model = isAnthropic ? "claude" : "fake";
        const conversation = path === "/v1/responses" ? { input: question } : { messages };
        const response = await gateway.post(path, { model, stream: true, max_tokens: 9, ...conversation });
        expect(await response.text()).toBe(events);
        expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("7");
        expect(response.headers.get("request-id")).toBe("r1");
        const { entry, payload } = gateway.lastRecord();
        expect(entry.code).toBe(1000);
        expect(textOf(payload.output_content)).toContain("Hello there, you.");
        expect(payload.answer).toMatchObject({ end: "complete", has_end: true });
      });
    }
  }

  test("the usage that only the gateway has asked for is recorded, and the client does not get it", async () => {
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages, stream: true });
    const text = await response.text();
    expect(toJson(lastSent().json.stream_options).include_usage).toBe(true);
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(text).not.toContain('"choices":[]');
    expect(toJson(gateway.lastRecord().entry.numbers).tokens).toMatchObject({ prompt_tokens: 20 });
  });

  test("an error of the provider, with its status, its headers and its body", async () => {
    const body =
      '{"error":{"message":"You have too many requests.","type":"requests","code":"rate_limit_exceeded"}}\n';
    gateway.openai.answerWith(() => ({ status: 429, headers: { "retry-after": "17" }, body }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      429,
      "17",
      body,
    ]);
    const { status, entry, payload } = gateway.lastRecord();
    expect([status, entry.code, payload.error_msg]).toEqual([429, 1502, "You have too many requests."]);
  });

  test("a body that is compressed although nobody has asked for it", async () => {
    const compressed = Bun.gzipSync('{"id":"1","choices":[]}');
    gateway.openai.answerWith(() => ({ headers: { "content-encoding": "gzip" }, body: compressed }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(await response.text()).toBe('{"id":"1","choices":[]}');
    expect(lastSent().headers["accept-encoding"]).toBe("identity");
  });

  test("an event of ten megabytes", async () => {
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(10_000_000) } }] })}\n\n`;
    const all = `${event}data: [DONE]\n\n`;
    gateway.openai.answerWith(() => ({ headers: eventStream, body: all }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages, stream: true });
    expect((await response.text()) === all).toBe(true);
    expect(gateway.lastRecord().payload.answer).toMatchObject({ skipped_events: 1 });
  });
});

describe("an answer without an end", () => {
  const first = chatEvents("fake", "Hello there, you.", false).slice(0, 2).join("");

  test("the upstream closes the connection: the client gets what came, an error, and a record", async () => {
    gateway.openai.answerWith(() => ({ headers: eventStream, body: [first], end: "close" }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages, stream: true });
    const received = await readUntilError(response);
    expect(received).toEqual({ text: first, isComplete: false });
    const { status, entry, payload } = gateway.lastRecord();
    expect([status, entry.code]).toEqual([502, 1502]);
    expect(payload.answer).toMatchObject({ end: "broken off by the upstream", has_end: false });
    expect(textOf(payload.output_content)).toContain("Hello");
  });

  test("the upstream is silent for longer than its timeout", async () => {
    gateway.openai.answerWith(() => ({ headers: eventStream, body: [first], end: "hang" }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages, stream: true });
    expect(await readUntilError(response)).toEqual({ text: first, isComplete: false });
    const { entry, payload } = gateway.lastRecord();
    expect(entry.code).toBe(1504);
    expect(payload.answer).toMatchObject({ end: "late" });
  });

  test("the client hangs up: the upstream is cancelled", async () => {
    const before = gateway.openai.abandoned;
    gateway.openai.answerWith(() => ({ headers: eventStream, body: [first], end: "hang" }));
    const controller = new AbortController();
    const response = await fetch(`${gateway.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.app.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake", messages, stream: true }),
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    await until(() => gateway.openai.abandoned > before);
    await until(() => gateway.lastRecord().status === 499);
    const { entry, payload } = gateway.lastRecord();
    expect(entry.code).toBe(1499);
    expect(payload.answer).toMatchObject({ end: "broken off by the client" });
  });

  test("the client hangs up before the answer", async () => {
    const before = gateway.openai.abandoned;
    const received = gateway.openai.received.length;
    gateway.openai.answerWith(() => ({ body: [], end: "hang" }));
    const controller = new AbortController();
    const response = fetch(`${gateway.app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.app.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake", messages }),
      signal: controller.signal,
    }).catch(() => null);
    await until(() => gateway.openai.received.length > received);
    controller.abort();
    await response;
    await until(() => gateway.openai.abandoned > before && gateway.lastRecord().status === 499);
    expect(gateway.lastRecord().payload).toMatchObject({ model_id: "fake", gateway_id: "local" });
  });

  test("a client that never reads makes the upstream wait", async () => {
    let bytes = 0;
    const stable = Promise.withResolvers<void>();
    let timer = setTimeout(() => {}, 0);
    async function* endless() {
      const event = Buffer.from(
        `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(60_000)}"}}]}\n\n`,
      );
      while (bytes < 1e9) {
        bytes += event.length;
        clearTimeout(timer);
        // Nothing is taken within this time: everything between the two is full.
        timer = setTimeout(() => stable.resolve(), 500);
        yield event;
      }
    }
    gateway.openai.answerWith(() => ({ headers: eventStream, body: endless() }));
    const body = JSON.stringify({ model: "fake", messages, stream: true });
    const socket = connect(gateway.app.port, "127.0.0.1");
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${gateway.app.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await stable.promise;
    expect(bytes).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
    await until(() => gateway.lastRecord().status === 499);
    clearTimeout(timer);
  });

  test("no answer at all", async () => {
    gateway.openai.answerWith(() => ({ body: [], end: "hang" }));
    const late = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(late.status).toBe(504);
    expect(toJson(toJson(await late.json()).error).code).toBe("upstream_timeout");
    expect(gateway.lastRecord().payload).toMatchObject({
      model_id: "fake",
      gateway_id: "local",
      input_content: messages,
    });
  });

  test("a redirect is refused, and nobody follows it", async () => {
    gateway.openai.answerWith(() => ({
      status: 302,
      headers: { location: gateway.anthropic.origin },
      body: "",
    }));
    const before = gateway.anthropic.received.length;
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(response.status).toBe(502);
    expect(String(toJson(toJson(await response.json()).error).message)).toContain("redirect");
    expect(gateway.anthropic.received.length).toBe(before);
  });
});

describe("a request that cannot be passed on", () => {
  test("a model without an upstream, in the form of each API", async () => {
    const chat = await gateway.post("/v1/chat/completions", { model: "unknown", messages });
    expect(chat.status).toBe(404);
    expect(await chat.json()).toMatchObject({ error: { code: "model_not_found", param: "model" } });
    const message = await gateway.post("/v1/messages", { model: "fake", messages });
    expect(await message.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect(gateway.lastRecord().payload).toMatchObject({ model_id: "fake", request_body: { model: "fake" } });
  });

  test("a body that is no chat", async () => {
    const bodies = [
      "",
      "[]",
      "{",
      "null",
      '{"model":"fake"}',
      '{"model":1,"messages":[]}',
      '{"model":"fake","messages":[1]}',
      new Uint8Array([0xff, 0xfe]),
    ];
    const sent = gateway.openai.received.length;
    for (const body of bodies) {
      const response = await gateway.post("/v1/chat/completions", body);
      expect([400, 415]).toContain(response.status);
      const { error } = toJson(await response.json());
      expect(String(toJson(error).message)).toMatch(/\.$/);
    }
    expect(gateway.openai.received.length).toBe(sent);
  });

  test("a hundred images below the limit are passed on, and recorded by their digest", async () => {
    const image = Buffer.alloc(100_000, 7).toString("base64");
    const content = [
      { type: "text", text: question },
      ...Array.from({ length: 100 }, () => ({
        type: "image_url",
        image_url: { url: `data:image/png;base64,${image}` },
      })),
    ];
    const response = await gateway.post("/v1/chat/completions", {
      model: "fake",
      messages: [{ role: "user", content }],
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(textOf(lastSent().json).split(image).length).toBe(101);
    const recorded = textOf(gateway.lastRecord().payload.request_body);
    expect(recorded.length).toBeLessThan(50_000);
    expect(recorded).toContain('"bytes":100000');
  });

  test("a body above the limit is refused with its size", async () => {
    const response = await gateway.post("/v1/chat/completions", {
      model: "fake",
      messages: [{ role: "user", content: "x".repeat(21 * 1024 * 1024) }],
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "request_too_large" } });
  });

  test("a system prompt of a megabyte is passed on", async () => {
    const system = "y".repeat(1_000_000);
    const response = await gateway.post("/v1/messages", { model: "claude", max_tokens: 5, system, messages });
    expect(response.status).toBe(200);
    await response.text();
    expect(textOf(lastSent(gateway.anthropic).json.system)).toContain(system);
  });
});

describe("keys", () => {
  test("the upstream gets its own key, and not that of this service", async () => {
    await (await gateway.post("/v1/chat/completions", { model: "fake", messages })).text();
    const { headers } = lastSent();
    expect(headers.authorization).toBe(`Bearer ${upstreamKey}`);
    expect(JSON.stringify(headers)).not.toContain(gateway.app.apiKey);
    expect(Object.keys(headers).filter((name) => name.startsWith("memledger-"))).toEqual([]);
  });

  test("a key of the client replaces it, and is in no record", async () => {
    const key = "sk-of-the-client-0123456789";
    gateway.anthropic.answerWith(() => ({
      status: 401,
      body: JSON.stringify({
        type: "error",
        error: { type: "authentication_error", message: `invalid x-api-key: ${key}` },
      }),
    }));
    const response = await gateway.post(
      "/v1/messages",
      { model: "claude", max_tokens: 5, messages },
      { "memledger-upstream-key": key },
    );
    expect(response.status).toBe(401);
    await response.text();
    expect(lastSent(gateway.anthropic).headers["x-api-key"]).toBe(key);
    const records = JSON.stringify(gateway.app.records(gateway.app.projectId));
    expect(records).not.toContain(key);
    expect(records).not.toContain(upstreamKey);
    expect(gateway.lastRecord().payload.error_msg).toBe("invalid x-api-key: [key]");
  });

  test("an error that repeats the key of the operator does not give it to the client", async () => {
    const message = `Incorrect API key provided: ${upstreamKey}.`;
    gateway.openai.answerWith(() => ({ status: 401, body: JSON.stringify({ error: { message } }) }));
    const response = await gateway.post("/v1/chat/completions", { model: "fake", messages });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { message: "Incorrect API key provided: [key]." } });
    expect(gateway.lastRecord().payload.error_msg).toBe("Incorrect API key provided: [key].");
    gateway.openai.answerWith(null);
  });

  test("a key of the client is not sent over plain HTTP to another machine", async () => {
    await using other = await startTestGateway(`
[[gateway.upstreams]]
name = "far"
kind = "openai"
base-url = "http://192.0.2.1/v1"
models = ["far"]
`);
    const key = "sk-of-the-client-0123456789";
    const response = await other.post(
      "/v1/chat/completions",
      { model: "far", messages },
      { "memledger-upstream-key": key },
    );
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain("plain HTTP");
    expect(text).not.toContain(key);
  });
});

describe("models, embeddings and counts", () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.app.url}${path}`, {
      headers: { authorization: `Bearer ${gateway.app.apiKey}`, ...headers },
    });

  test("the models of all upstreams, in the form that the client speaks", async () => {
    const openai = toJson(await (await get("/v1/models")).json());
    expect(openai.object).toBe("list");
    expect((openai.data as JsonObject[]).map(({ id }) => id)).toEqual([
      "fake-quick",
      "fake",
      "memledger-embed-v3",
    ]);
    const list = {
      data: [
        { type: "model", id: "claude-x", display_name: "X" },
        { type: "model", id: "other" },
      ],
    };
    gateway.anthropic.answerWith(() => ({ body: JSON.stringify(list) }));
    const anthropic = toJson(await (await get("/v1/models", { "anthropic-version": "2023-06-01" })).json());
    expect(anthropic).toMatchObject({ has_more: false, first_id: "claude-x", last_id: "claude" });
  });

  test("an upstream that is down costs its own models only", async () => {
    gateway.openai.answerWith(() => ({ status: 500, body: "no" }));
    const { data } = toJson(await (await get("/v1/models")).json());
    expect((data as JsonObject[]).map(({ id }) => id)).toEqual(["fake-quick", "fake", "memledger-embed-v3"]);
    expect(gateway.lastRecord().payload.upstreams).toContainEqual({
      name: "local",
      models: 0,
      fault: "status 500",
    });
  });

  test("embeddings of the own model, as numbers and as base64", async () => {
    const model = "memledger-embed-v3";
    const numbers = toJson(
      await (await gateway.post("/v1/embeddings", { model, input: ["a cat", "a dog"] })).json(),
    );
    const [first, second] = numbers.data as JsonObject[];
    expect(lengthOf(first?.embedding)).toBeGreaterThan(0);
    expect(lengthOf(first?.embedding)).toBe(lengthOf(second?.embedding));
    const encoded = await gateway.post("/v1/embeddings", {
      model,
      input: "a cat",
      encoding_format: "base64",
    });
    const [only] = toJson(await encoded.json()).data as JsonObject[];
    const bytes = Buffer.from(String(only?.embedding), "base64");
    const read = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    expect(read).toEqual(first?.embedding as number[]);
    expect(gateway.lastRecord().payload).toMatchObject({ model_id: model, input_content: ["a cat"] });
  });

  test("bad requests for embeddings", async () => {
    const model = "memledger-embed-v3";
    for (const body of [
      { model },
      { model, input: [] },
      { model, input: [1, 2] },
      { model, input: "" },
      { model, input: "x", encoding_format: "hex" },
      { model, input: "x", dimensions: 5 },
      { model: "memledger-embed-v1", input: "x" },
    ]) {
      const response = await gateway.post("/v1/embeddings", body);
      expect(response.status).toBe(400);
      await response.text();
    }
  });

  test("embeddings of other models are passed on", async () => {
    const response = await gateway.post("/v1/embeddings", { model: "fake", input: "x" });
    expect(toJson(await response.json()).data).toEqual([
      { object: "embedding", index: 0, embedding: [0.25, -0.5] },
    ]);
    const { entry, payload } = gateway.lastRecord();
    expect(toJson(entry.numbers).tokens).toEqual({ prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 });
    expect(payload.output_content).toEqual({ embeddings: 1 });
  });

  test("tokens are counted with the memory", async () => {
    const response = await gateway.post("/v1/messages/count_tokens?beta=true", { model: "claude", messages });
    expect(Number(toJson(await response.json()).input_tokens)).toBeGreaterThan(0);
    const sent = lastSent(gateway.anthropic);
    expect(sent.path).toBe("/v1/messages/count_tokens?beta=true");
    expect(textOf(sent.json.messages)).toContain("whiteboard");
    expect(gateway.lastRecord().action).toBe("gateway.count_tokens");
  });
});

async function readUntilError(response: Response): Promise<{ text: string; isComplete: boolean }> {
  const reader = response.body?.getReader();
  let text = "";
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    return { text, isComplete: true };
  } catch {
    return { text, isComplete: false };
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}
