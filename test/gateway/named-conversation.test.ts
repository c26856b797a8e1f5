// Proves the header Memledger-Conversation: the records of the request, of its memory and of what is remembered name the conversation, and its
// erasure leaves nothing of what was said in it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../everything-stored.ts";
import { extracted } from "../memory/remembering/answers.ts";
import { startTestGateway, type TestGateway } from "./exchanges.ts";
import type { FakeUpstream } from "./fake-upstream.ts";

let upstream: FakeUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  upstream = gateway.openai;
});
afterAll(() => gateway[Symbol.asyncDispose]());

const named = (conversation: string, others = {}) => ({ "Memledger-Conversation": conversation, ...others });
async function ask(content: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const body = { model: "fake", messages: [{ role: "user", content }] };
  const response = await gateway.post("/v1/chat/completions", body, headers);
  await response.text();
  return response.status;
}
const conversationsOf = (skipped: number) =>
  gateway.app
    .records(gateway.app.projectId, skipped)
    .map(({ entry }) => [entry.action, typeof entry.conversation]);

test("what is remembered of a conversation of the gateway is of this conversation, and goes with it", async () => {
  const { app } = gateway;
  const words = ["Pyrenäenwanderung", "Kontrabassunterricht", "Zweigelt"];
  const skipped = app.countRecords(app.projectId);
  const about = "Die Pyrenäenwanderung mit Zweigelt beginnt am 3. Juni. We decided that it takes two weeks.";
  expect(await ask(about, named("chat of Zweigelt", { "Memledger-Remember": "on" }))).toBe(200);
  await extracted(app, 1);
  expect(conversationsOf(skipped)).toEqual([
    ["memory.inject", "string"],
    ["gateway.chat", "string"],
    ["memory.extract", "string"],
  ]);
  const [first, ...others] = app.records(app.projectId, skipped).map(({ entry }) => entry.conversation);
  expect(new Set(others)).toEqual(new Set([first]));
  const { data: list } = await app.call("GET", "/v1/memories/conversations");
  expect(list.conversations).toMatchObject([{ conversation: "chat of Zweigelt" }]);
  const path = `/v1/memories/conversations/${encodeURIComponent("chat of Zweigelt")}`;
  const { data: made } = await app.call("GET", path);
  const origins = [{ conversation: "chat of Zweigelt" }];
  expect((made.made as JsonObject).memories).toMatchObject([{ origins }, { origins }]);
  // Another conversation is told what was remembered of this one, and a third one says the same.
  upstream.answerWith(() => ({
    body: JSON.stringify({ choices: [{ message: { role: "assistant", content: "Kontrabassunterricht." } }] }),
  }));
  expect(await ask("Wann beginnt der Kontrabassunterricht?", named("chat of Zweigelt"))).toBe(200);
  upstream.answerWith(null);
  expect(await ask("How long does it take?", named("other"))).toBe(200);
  expect(payloadsIn(app.config.dataDir)).toContain("Kontrabassunterricht");
  const { data } = await app.call("POST", `${path}/erase`, { body: {} });
  expect(data).toMatchObject({ erased: true, memories: 2 });
  const { data: verified } = await app.call("GET", "/v1/audit/verify");
  expect(verified.failure).toBeNull();
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(words.filter((word) => stored.includes(word))).toEqual([]);
    expect(stored).toContain("How long does it take?");
  });
});

test("what is no name is refused, and a request without the header has no conversation", async () => {
  const { app } = gateway;
  for (const wrong of ["x".repeat(201), "a\u0001b"]) {
    const status = await ask("Hello.", named(wrong)).catch(() => 400);
    expect([wrong, status]).toEqual([wrong, 400]);
  }
  const skipped = app.countRecords(app.projectId);
  expect(await ask("Hello.", {})).toBe(200);
  expect(conversationsOf(skipped).map(([, type]) => type)).toEqual(["undefined", "undefined"]);
});

test("a request whose conversation is erased meanwhile is recorded for its next pseudonym, without what was said", async () => {
  const { app } = gateway;
  expect(await ask("The wombat is called Bert.", named("meanwhile"))).toBe(200);
  const former = gateway.lastRecord().entry.conversation;
  let erased: Promise<unknown> | null = null;
  gateway.beforeCommit(async ({ operation }) => {
    if (operation !== "gateway.chat" || erased !== null) return;
    erased = app.call("POST", "/v1/memories/conversations/meanwhile/erase", { body: {} });
    await erased;
  });
  expect(await ask("What is the wombat called?", named("meanwhile"))).toBe(200);
  gateway.beforeCommit(null);
  expect(await (erased as unknown as Promise<unknown>)).toMatchObject({ data: { erased: true } });
  const { entry, payload } = gateway.lastRecord();
  expect(entry.conversation).toBeString();
  expect(entry.conversation).not.toBe(former);
  expect(JSON.stringify(payload)).not.toContain("wombat");
});
