// Large requests and answers are read in a thread of their own: what is passed on, what is recorded, and what becomes of them without the
// thread. How long others wait meanwhile is measured by test/attack/long-requests.ts and long-answers.ts.

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Worker } from "node:worker_threads";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { hasMoreValues } from "../../src/platform/json/json-text.ts";
import { spawnWorker } from "../../src/platform/threads/spawn.ts";
import { longAnswer } from "../attack/long-answers.ts";
import { longRequest } from "../attack/long-requests.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";
import { chatAnswer } from "./upstream-shapes.ts";

let upstream: FakeUpstream;
let app: TestApp;
const threads: Worker[] = [];
beforeAll(async () => {
  upstream = await startFakeUpstream();
  app = await startTestApp(
    {},
    (name, init) => {
      const worker = spawnWorker(name, init);
      if (name === "bodies") threads.push(worker);
      return worker;
    },
    undefined,
    `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["fake"]\nmemory = false\n`,
  );
});
afterAll(async () => {
  await app.stop();
  await upstream.close();
});
afterEach(() => upstream.answerWith(null));

const post = (body: string) =>
  fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.apiKey}`, "content-type": "application/json" },
    body,
  });
const lastRecord = () => {
  const record = app.records(app.projectId).findLast(({ action }) => action === "gateway.chat");
  if (record === undefined) throw new Error("no record");
  return record;
};
const messagesIn = (value: unknown) => (value as { messages: JsonObject[] }).messages;
const answerQuickly = () => upstream.answerWith(() => ({ body: JSON.stringify(chatAnswer("fake", "Yes.")) }));

test("a small request needs no thread", async () => {
  expect((await post(longRequest("fake", 10))).status).toBe(200);
  expect(threads).toHaveLength(0);
});

/** A form with parts of these contents. */
async function postForm(parts: readonly string[]) {
  const part = (content: string, at: number) =>
    `--b\r\nContent-Disposition: form-data; name="f${at}"; filename="f.txt"\r\n\r\n${content}\r\n`;
  const body = `${parts.map(part).join("")}--b--\r\n`;
  const response = await fetch(`${app.url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.apiKey}`, "content-type": "multipart/form-data; boundary=b" },
    body,
  });
  await response.text();
  return { status: response.status, body };
}

test("a large form is read in the thread, too, and one of many parts is refused", async () => {
  const before = threads.length;
  upstream.answerWith(() => ({ body: "{}" }));
  const { status, body } = await postForm(["x".repeat(20_000), "y"]);
  expect([status, upstream.received.at(-1)?.body.toString()]).toEqual([200, body]);
  expect(threads).toHaveLength(before + 1);
  const [{ payload }] = app.records(app.projectId).slice(-1) as [ReturnType<typeof lastRecord>];
  expect(payload.request_body).toMatchObject({ f0: { name: "f.txt", bytes: 20_000 }, f1: { bytes: 1 } });
  const received = upstream.received.length;
  expect((await postForm(new Array<string>(1_001).fill("z"))).status).toBe(400);
  expect(upstream.received).toHaveLength(received);
});

test("a long conversation is passed on byte for byte, and recorded", async () => {
  answerQuickly();
  const body = longRequest("fake");
  const response = await post(body);
  expect([response.status, await response.json()]).toMatchObject([200, { object: "chat.completion" }]);
  expect(threads).toHaveLength(1);
  expect(upstream.received.at(-1)?.body.toString("utf8")).toBe(body);
  const { payload } = lastRecord();
  expect(messagesIn(payload.request_body)).toHaveLength(60_000);
  expect(payload.input_content).toEqual(messagesIn(payload.request_body));
  expect(payload).toMatchObject({ output_content: { text: "Yes." }, gateway_id: "fake" });
});

test("refused ones are recorded, too: a model of no upstream, no conversation, and no JSON", async () => {
  expect((await post(longRequest("unknown"))).status).toBe(404);
  expect(lastRecord()).toMatchObject({ status: 404, payload: { request_body: { model: "unknown" } } });
  expect(messagesIn(lastRecord().payload.request_body)).toHaveLength(60_000);
  const padding = "x".repeat(20_000);
  expect((await post(JSON.stringify({ model: "fake", padding }))).status).toBe(400);
  expect(lastRecord()).toMatchObject({ status: 400, payload: { request_body: { model: "fake", padding } } });
  expect((await post(`{"model":"fake","padding":"${padding}",}`)).status).toBe(400);
  expect(lastRecord().payload).toMatchObject({
    error_msg: "The body is not valid JSON. Check quotes and commas, and that the text is complete.",
    unreadable_body: { length: 20_000 + 30 },
  });
});

test("an answer with too many values is passed on byte for byte and not read, as a whole and in a stream", async () => {
  const body = longAnswer(2_000_000);
  upstream.answerWith(() => ({ body }));
  const whole = await post(longRequest("fake", 10));
  expect([whole.status, (await whole.text()) === body]).toEqual([200, true]);
  expect(lastRecord()).toMatchObject({ status: 200, payload: { answer: { skipped_events: 1 } } });

  const event = `data: ${longAnswer(300_000)}\n\n`;
  upstream.answerWith(() => ({ headers: { "Content-Type": "text/event-stream" }, body: event }));
  const streamed = await post(longRequest("fake", 10));
  expect((await streamed.text()) === event).toBe(true);
  expect(lastRecord()).toMatchObject({ payload: { answer: { skipped_events: 1 } } });

  upstream.answerWith(() => ({ status: 500, body }));
  const failed = await post(longRequest("fake", 10));
  expect([failed.status, (await failed.text()) === body]).toEqual([500, true]);
  expect(lastRecord()).toMatchObject({ status: 500, payload: { answer: { skipped_events: 1 } } });
});

test("values are counted outside of strings", () => {
  expect(hasMoreValues(`["${",".repeat(100)}"]`, 10)).toBe(false);
  expect(hasMoreValues(`["\\"${",".repeat(100)}"]`, 10)).toBe(false);
  expect(hasMoreValues(`[${"0,".repeat(100)}0]`, 100)).toBe(true);
  expect(hasMoreValues("{}", 2)).toBe(false);
});

test("what the thread was doing when it ended is refused or sealed elsewhere, and the next request has a new one", async () => {
  const [thread] = threads;
  upstream.answerWith((request) => {
    void thread?.terminate();
    return { body: JSON.stringify(chatAnswer("fake", `${request.body.length}`)) };
  });
  const body = longRequest("fake", 5_000);
  const response = await post(body);
  await response.text();
  expect(response.status).toBe(200);
  expect(messagesIn(lastRecord().payload.request_body)).toHaveLength(5_000);
  answerQuickly();
  let next = await post(body);
  while (next.status === 503) next = await post(body);
  expect(next.status).toBe(200);
  expect(threads).toHaveLength(2);
  app.complaints.length = 0;
});
