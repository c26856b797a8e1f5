// What follows an exchange: answers that are remembered, and erasures while one runs.

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestGateway, type TestGateway } from "./exchanges.ts";
import { eventStream } from "./fake-upstream.ts";
import { chatEvents } from "./upstream-shapes.ts";

let gateway: TestGateway;
let secret: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  secret = await gateway.remember("The wifi password of the office is on the whiteboard in room 4.");
});
afterAll(() => gateway[Symbol.asyncDispose]());
afterEach(() => {
  gateway.openai.answerWith(null);
  gateway.beforeCommit(null);
});

const path = "/v1/chat/completions";
const question = "Where is the wifi password of the office?";
const messages = [{ role: "user", content: question }];
const toJson = (value: unknown): JsonObject => (isObject(value) ? value : {});

test("an answer that is asked to be remembered is in the queue with its record", async () => {
  const said = [{ role: "user", content: "My daughter Ada was born in Lyon in 2019." }];
  const response = await gateway.post(
    path,
    { model: "fake", messages: said },
    { "memledger-remember": "true" },
  );
  await response.text();
  const { entry, payload } = gateway.lastRecord();
  expect(payload.remembering).toBe("queued");
  await until(async () =>
    gateway.app
      .records(gateway.app.projectId)
      .some(
        ({ action, payload: { remembers } }) =>
          action === "memory.extract" && toJson(remembers).record === entry.id,
      ),
  );
});

test("an answer that broke off is not remembered, and its record says it", async () => {
  const [first = ""] = chatEvents("fake", "Hello there, you.", false);
  gateway.openai.answerWith(() => ({ headers: eventStream, body: [first], end: "close" }));
  const body = { model: "fake", messages: [{ role: "user", content: "My brother is Tim." }], stream: true };
  const response = await gateway.post(path, body, { "memledger-remember": "true" });
  await response.text().catch(() => "");
  await until(async () => gateway.lastRecord().payload.remembering === "not complete");
});

test("after an erasure while it runs, the record has neither the request, the answer nor memories, and nothing is sent twice", async () => {
  const goOn = Promise.withResolvers<void>();
  const [first = "", ...rest] = chatEvents("fake", "It is on the whiteboard in room 4.", false);
  async function* body() {
    yield Buffer.from(first);
    await goOn.promise;
    yield Buffer.from(rest.join(""));
  }
  gateway.openai.answerWith(() => ({ headers: eventStream, body: body() }));
  const sent = gateway.openai.received.length;
  const response = await gateway.post(path, { model: "fake", messages, stream: true, seed: 5 });
  const reader = response.body?.getReader();
  await reader?.read();
  await gateway.app.administer(eraseRecords, { memory: secret });
  goOn.resolve();
  while (reader !== undefined && !(await reader.read()).done);
  expect(gateway.openai.received.length).toBe(sent + 1);
  const { entry, payload } = gateway.lastRecord();
  expect(response.headers.get("memledger-record")).toBe(String(entry.id));
  expect(JSON.stringify(payload)).not.toContain("whiteboard");
  expect(JSON.stringify(payload)).not.toContain(String(messages[0]?.content));
  expect(payload.left_out).toContain("erasure");
  expect(payload.memory_results).toBeUndefined();
  expect(payload.answer).toMatchObject({ end: "complete", finish_reason: "stop" });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await Bun.sleep(10);
}
