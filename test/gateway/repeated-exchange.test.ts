// Proves through the gateway that an identical request of a key gets the former answer without the upstream, and when it does not.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { redactRecords } from "../../src/calls/operations/ledger/redact.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { startFakeUpstream } from "./fake-upstream.ts";

const upstream = await startFakeUpstream();
const app = await startTestApp(
  {},
  undefined,
  undefined,
  `[gateway]\ncache-seconds = 60\n\n[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["*"]\nmemory-deadline-ms = 20000\n`,
);
afterAll(async () => {
  await app.stop();
  await upstream.close();
});
let asked = 0;
beforeEach(() => {
  asked = upstream.received.length;
});
const askedNow = () => upstream.received.length - asked;

async function chat(key: string, user: string, more: JsonObject = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ model: "some-model", messages: [{ role: "user", content: user }], ...more }),
  });
  return {
    status: response.status,
    cache: response.headers.get("memledger-cache"),
    type: response.headers.get("content-type"),
    record: response.headers.get("memledger-record") ?? "",
    text: await response.text(),
  };
}

const exchangesOf = (project: string) =>
  app.records(project).filter(({ action }) => action === "gateway.chat");

test.each([false, true])(
  "the second answer is the first one, byte for byte, with a record of its own (stream: %p)",
  async (stream) => {
    const project = await app.createProject("custom");
    const first = await chat(project.key, "Hello.", { stream });
    const second = await chat(project.key, "Hello.", { stream });
    expect(askedNow()).toBe(1);
    expect([first.cache, second.cache]).toEqual([null, "hit"]);
    expect([second.status, second.type, second.text]).toEqual([first.status, first.type, first.text]);
    expect(second.record).not.toBe(first.record);
    const [of1, of2] = exchangesOf(project.id);
    expect(of1?.entry).toMatchObject({ id: first.record, numbers: { is_cache_hit: false } });
    expect(of2).toMatchObject({
      entry: { id: second.record, numbers: { is_cache_hit: true, balance_consumed_usd: 0 } },
      payload: { repeats: first.record, output_content: of1?.payload.output_content ?? null },
    });
  },
);

test("another key, a stream with tools, another body and no-cache ask the upstream", async () => {
  const project = await app.createProject("custom");
  const other = await app.createKey(project.id, ["gateway.use", "memory.read"]);
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  for (let n = 0; n < 2; n++) await chat(project.key, "Hello.", { stream: true, tools });
  expect(askedNow()).toBe(2);
  await chat(project.key, "Hello.");
  await chat(other.key, "Hello.");
  await chat(project.key, "Hello.", { seed: 1 });
  await chat(project.key, "Hello.", {}, { "Cache-Control": "no-cache" });
  expect(askedNow()).toBe(6);
});

test("an error and an answer that breaks off are not repeated", async () => {
  const project = await app.createProject("custom");
  upstream.answerWith(() => ({ status: 429, body: '{"error":{"message":"slow down"}}' }));
  await chat(project.key, "Hello.");
  upstream.answerWith(() => ({ body: ["data: {}\n\n"], end: "close" }));
  await chat(project.key, "Hello.", { stream: true }).catch(() => null);
  upstream.answerWith(null);
  expect((await chat(project.key, "Hello.")).cache).toBeNull();
  expect((await chat(project.key, "Hello.", { stream: true })).cache).toBeNull();
});

test("a memory that was changed is never answered with the former answer", async () => {
  const project = await app.createProject("custom");
  const create = (content: string) =>
    app.call("POST", "/v1/memories", { key: project.key, body: { content, memory_type: "rule" } });
  await create("Answer in English.");
  await chat(project.key, "Hello.");
  await create("Answer in one sentence.");
  expect((await chat(project.key, "Hello.")).cache).toBeNull();
  expect((await chat(project.key, "Hello.")).cache).toBe("hit");
});

test("an erasure takes the answers with it, and an answer is not repeated when it is too old", async () => {
  const project = await app.createProject("custom");
  const { record } = await chat(project.key, "Hello.");
  await app.administer(redactRecords, { record });
  expect((await chat(project.key, "Hello.")).cache).toBeNull();
  app.passTime(61_000);
  expect((await chat(project.key, "Hello.")).cache).toBeNull();
});

test("an erasure by a command while no server runs takes the answers with it, too", async () => {
  const project = await app.createProject("custom");
  const { record } = await chat(project.key, "Hello.");
  const file = join(app.config.dataDir, "cache", "answers", "answers.db");
  await app.restart(async () => {
    expect(existsSync(file)).toBe(true);
    await app.administer(redactRecords, { record });
    expect(existsSync(file)).toBe(false);
  });
  expect((await chat(project.key, "Hello.")).cache).toBeNull();
  expect((await chat(project.key, "Hello.")).cache).toBe("hit");
});
