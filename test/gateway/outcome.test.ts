// What the record of an exchange says of its outcome: an answer that broke off is no success, and tokens are those that the provider has
// reported, of each kind, or unknown.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestGateway, type TestGateway } from "./exchanges.ts";
import { eventStream, type PreparedAnswer } from "./fake-upstream.ts";
import { event, messagesStream, responsesStream } from "./streams.ts";
import { chatAnswer, chatEvents, messageAnswer, messageEvents, responseAnswer } from "./upstream-shapes.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(
    "timeout-seconds = 1\nmemory = false\nprices = [{ model = 'claude*', input-usd = 10, cached-input-usd = 1, cache-write-input-usd = 12.5, output-usd = 50 }]",
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

const said = [{ role: "user", content: "Hello" }];
const models = { "/v1/messages": "claude", "/v1/chat/completions": "fake", "/v1/responses": "fake" } as const;
type Path = keyof typeof models;

async function recordOf(path: Path, answer: PreparedAnswer, isStream = true): Promise<JsonObject> {
  const upstream = path === "/v1/messages" ? gateway.anthropic : gateway.openai;
  upstream.answerWith(() => answer);
  const body = { model: models[path], messages: said, input: "Hello", max_tokens: 9, stream: isStream };
  const response = await gateway.post(path, body, { "memledger-memory": "off" });
  await response.text().catch(() => "");
  const id = response.headers.get("memledger-record");
  const find = () => gateway.app.records(gateway.app.projectId).some(({ entry }) => entry.id === id);
  // A connection that is cut may be seen before its record.
  while (!find()) await Bun.sleep(1);
  const { data } = await gateway.app.call("GET", `/v1/audit/logs/${id}`);
  return data;
}

const streams: readonly [Path, readonly string[]][] = [
  ["/v1/chat/completions", chatEvents("fake", "Hello there, how are you today? I am well.", true)],
  ["/v1/responses", responsesStream],
  ["/v1/messages", messageEvents("claude", "Hello there, how are you today? I am well.")],
];

describe.each(streams)("a stream of %s", (path, events) => {
  const begun = events.slice(0, 3);
  const failure = event({ type: "error", error: { message: "overloaded" } }, "error");

  test.each<[string, PreparedAnswer, number, number]>([
    ["that is cut", { body: begun, end: "close" }, 502, 1502],
    ["that stalls", { body: begun, end: "hang" }, 504, 1504],
    ["that ends without its final event", { body: begun }, 502, 1502],
    ["with an error", { body: [...begun, failure] }, 502, 1502],
    ["with nothing in it", { body: "" }, 502, 1502],
  ])("%s is no success, and its tokens are unknown", async (_, answer, status, code) => {
    const record = await recordOf(path, { headers: eventStream, ...answer });
    expect(record).toMatchObject({ http_status: status, is_success: false, error_code: code, tokens: null });
    expect(record.error_msg).toBeString();
    expect(record.balance_consumed_usd).toBe(0);
  });

  test("that is complete is one", async () => {
    const record = await recordOf(path, { headers: eventStream, body: events });
    expect(record).toMatchObject({ http_status: 200, is_success: true, error_code: null, error_msg: null });
  });
});

test("a refused answer with the status 200 is no success", async () => {
  const body = JSON.stringify({ error: { message: "no capacity", code: 503 } });
  expect(await recordOf("/v1/chat/completions", { body }, false)).toMatchObject({
    http_status: 502,
    is_success: false,
    error_code: 1502,
    error_msg: "no capacity",
  });
});

test("the status of the upstream is in the record, too", async () => {
  await recordOf("/v1/messages", { headers: eventStream, body: messagesStream.slice(0, 3), end: "close" });
  expect(gateway.lastRecord().payload.answer).toMatchObject({ upstream_status: 200 });
});

describe("tokens", () => {
  const chat = (usage: object) => ({ ...chatAnswer("fake", "Hello"), usage });
  const responses = (usage: object) => ({ ...responseAnswer("fake", "Hello"), usage });
  const messages = (usage: object) => ({ ...messageAnswer("claude", "Hello"), usage });

  test.each<[string, Path, object, object | null]>([
    [
      "of Chat Completions",
      "/v1/chat/completions",
      chat({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 30 },
      }),
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        cached_tokens: 80,
        cache_write_tokens: 10,
        reasoning_tokens: 30,
      },
    ],
    [
      "of Responses",
      "/v1/responses",
      responses({
        input_tokens: 100,
        output_tokens: 50,
        total_tokens: 150,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      }),
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        cached_tokens: 0,
        reasoning_tokens: 0,
      },
    ],
    [
      "of Messages",
      "/v1/messages",
      messages({
        input_tokens: 5,
        cache_read_input_tokens: 80,
        cache_creation_input_tokens: 15,
        output_tokens: 50,
      }),
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        cached_tokens: 80,
        cache_write_tokens: 15,
      },
    ],
    [
      "that follow from the others",
      "/v1/chat/completions",
      chat({ prompt_tokens: 100, total_tokens: 150 }),
      { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    ],
    ["of which one is unknown", "/v1/chat/completions", chat({ prompt_tokens: 100 }), null],
    ["of Messages without those of the output", "/v1/messages", messages({ input_tokens: 100 }), null],
    ["that are no counts", "/v1/responses", responses({ input_tokens: "100", output_tokens: -1 }), null],
    ["that are not reported", "/v1/chat/completions", { ...chatAnswer("fake", "Hello"), usage: null }, null],
  ])("%s", async (_, path, answer, tokens) => {
    const record = await recordOf(path, { body: JSON.stringify(answer) }, false);
    expect(record.tokens).toEqual(tokens as never);
    const { usage } = answer as { usage: object };
    if (isObject(usage)) expect(gateway.lastRecord().payload.answer).toMatchObject({ usage });
  });

  test("that were written to a cache and read from it have their own prices", async () => {
    const usage = {
      input_tokens: 100_000,
      cache_read_input_tokens: 200_000,
      cache_creation_input_tokens: 400_000,
      output_tokens: 10_000,
    };
    const record = await recordOf("/v1/messages", { body: JSON.stringify(messages(usage)) }, false);
    expect(record.balance_consumed_usd).toBeCloseTo(1 + 0.2 + 5 + 0.5, 9);
  });
});
