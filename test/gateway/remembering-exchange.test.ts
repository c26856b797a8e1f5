// Proves through the gateway that conversations are remembered where somebody has asked for it, and that the record says what becomes of each.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { openWriting } from "../../src/engines/sqlite/database-file/connection.ts";
import { waitingMaxPerProject } from "../../src/memory/remembering/limits.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { startTestApp } from "../fixture.ts";
import { contentsOf, extracted, extractionsOf } from "../memory/remembering/answers.ts";
import { startFakeUpstream } from "./fake-upstream.ts";

const upstream = await startFakeUpstream();
const app = await startTestApp({}, undefined, undefined, toToml(upstream.origin));
afterAll(async () => {
  await app.stop();
  await upstream.close();
});
beforeEach(() => upstream.answerWith(null));

function toToml(origin: string): string {
  return `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${origin}/v1"\nmodels = ["*"]\nmemory-deadline-ms = 20000\n`;
}

interface Sent {
  readonly status: number;
  readonly record: string;
  readonly text: string;
}

async function chat(
  key: string,
  user: string,
  headers: Record<string, string> = {},
  more: JsonObject = {},
): Promise<Sent> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ model: "some-model", messages: [{ role: "user", content: user }], ...more }),
  });
  const record = response.headers.get("memledger-record") ?? "";
  return { status: response.status, record, text: await response.text().catch(() => "") };
}

const remember = { "Memledger-Remember": "true" };
const fact = "We decided that releases go out on Tuesdays.";
const exchangesOf = (project: string) =>
  app.records(project).filter(({ action }) => action === "gateway.chat");

test.each([false, true])(
  "what is said in one conversation is known in the next (stream: %p)",
  async (stream) => {
    const project = await app.createProject("custom");
    const first = await chat(project.key, fact, remember, { stream });
    expect(first.status).toBe(200);
    const [extraction] = await extracted(app, 1, project.id);
    expect(extraction).toMatchObject({
      status: 200,
      payload: { performed_for: "gateway.chat", remembers: { record: first.record, part: 1, parts: 1 } },
    });
    expect(exchangesOf(project.id)[0]?.payload).toMatchObject({ remembering: "queued" });
    expect((await contentsOf(app, project.key)).join("\n")).toContain("Tuesdays");
    await chat(project.key, "When do releases go out?");
    expect(upstream.received.at(-1)?.body.toString()).toContain("releases go out on Tuesdays");
    expect(extractionsOf(app, project.id)).toHaveLength(1);
  },
);

test("without a request for it nothing is remembered, and the header overrides the key", async () => {
  const project = await app.createProject("custom");
  const on = await app.createKey(project.id, ["gateway.use", "memory.read", "memory.write"], {
    gateway: { remember: true },
  });
  await chat(project.key, fact);
  await chat(on.key, fact, { "Memledger-Remember": "false" });
  const last = await chat(on.key, "Our office is on the third floor of the old mill.");
  const [extraction] = await extracted(app, 1, project.id);
  expect(extraction?.payload.remembers).toMatchObject({ record: last.record });
  expect(exchangesOf(project.id).map(({ payload: { remembering = null } }) => remembering)).toEqual([
    null,
    null,
    "queued",
  ]);
});

test("a request of a chat page for a title is not remembered, and off says so for what is not recognised", async () => {
  const project = await app.createProject("custom");
  const history = `<chat_history>\nUSER: ${fact}\nASSISTANT: Noted.\n</chat_history>`;
  await chat(project.key, `Generate a concise title for the chat history.\n${history}`, {
    "Memledger-Remember": "on",
  });
  await chat(project.key, fact, { "Memledger-Remember": "off" });
  const last = await chat(project.key, "We decided to title the talk Ledgers that remember.", {
    "Memledger-Remember": "on",
  });
  const [extraction] = await extracted(app, 1, project.id);
  expect(extraction?.payload.remembers).toMatchObject({ record: last.record });
  expect(exchangesOf(project.id).map(({ payload: { remembering = null } }) => remembering)).toEqual([
    "conversation task",
    null,
    "queued",
  ]);
});

test("an answer that breaks off or fails is not remembered", async () => {
  const project = await app.createProject("custom");
  upstream.answerWith(() => ({
    body: ['data: {"choices":[{"index":0,"delta":{"content":"A"}}]}\n\n'],
    end: "close",
  }));
  await chat(project.key, fact, remember, { stream: true });
  upstream.answerWith(() => ({ status: 500, body: '{"error":{"message":"no"}}' }));
  await chat(project.key, fact, remember);
  await chat(project.key, fact, remember);
  const states = exchangesOf(project.id).map(({ payload: { remembering } }) => remembering);
  expect(states).toEqual(["not complete", "not complete", "not complete"]);
  expect(extractionsOf(app, project.id)).toEqual([]);
});

test("a failure of the extraction does not touch the answer", async () => {
  const project = await app.createProject("custom", { credits: 0 });
  const sent = await chat(project.key, fact, remember);
  expect(sent.status).toBe(200);
  const [extraction] = await extracted(app, 1, project.id);
  expect(extraction).toMatchObject({ status: 402, payload: { remembers: { record: sent.record } } });
  // Between the record and the line in the log.
  while (app.complaints.length === 0) await Bun.sleep(5);
  expect(app.complaints.splice(0).join("\n")).toContain("an answer of the gateway is not remembered");
});

test("a key that may not write memories remembers nothing, and the record says so", async () => {
  const project = await app.createProject("custom");
  const reader = await app.createKey(project.id, ["gateway.use", "memory.read"]);
  expect((await chat(reader.key, fact, remember)).status).toBe(200);
  expect(exchangesOf(project.id)[0]?.payload).toMatchObject({ remembering: "not permitted" });
  expect(extractionsOf(app, project.id)).toEqual([]);
});

test("an answer that finds the queue full says so in its record", async () => {
  const project = await app.createProject("custom");
  await app.restart(() => {
    const { database: path, runtime } = locate(app.config.dataDir);
    const database = openWriting({ path, runtime: prepareRuntime(runtime) });
    // Their records do not exist, so nothing takes them out of the queue.
    database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${waitingMaxPerProject})
         INSERT INTO remember_task (record, project, key, part, attempts, created_at)
         SELECT printf('%032x', i), p.serial, k.id, 0, 0, 0
         FROM n, project p JOIN api_key k ON k.project = p.serial WHERE p.id = ?`,
      )
      .run(project.id);
    database.close();
  });
  const sent = await chat(project.key, fact, remember);
  expect(sent.status).toBe(200);
  expect(exchangesOf(project.id).at(-1)?.payload).toMatchObject({ remembering: "queue full" });
  expect(extractionsOf(app, project.id)).toEqual([]);
});
