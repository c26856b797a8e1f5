// Proves that a server that is killed at any moment neither loses an answer that waits to be remembered nor remembers one twice.

import { afterAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { cleanUp, createFolder, runJson, serve } from "../../cli/command.ts";
import { startFakeUpstream } from "../../gateway/fake-upstream.ts";
import { itemsFrom, startFakeLlm } from "../../models/extraction/fake-llm.ts";
import { chatPayload, queueTasks, waitingIn } from "./answers.ts";

const llm = await startFakeLlm();
afterAll(async () => {
  await cleanUp();
  await llm.stop();
});

/** Not similar to each other, because similar ones become one memory. */
const facts = [
  "Dana lives in Lisbon.",
  "The printer on the second floor is broken.",
  "Releases go out on Tuesdays.",
  "Our cat is called Miso.",
  "The invoice number begins with a letter.",
  "Python scripts run under version twelve.",
  "My favourite composer is Ravel.",
  "The warehouse closes for inventory in March.",
];

const userLine = (text: string) => /^USER .*\n(.*)$/m.exec(text)?.[1] ?? "";

async function send(url: string, key: string, method: string, path: string, body?: JsonObject) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!isObject(answer) || !isObject(answer.data)) throw new Error(`${path} was refused`);
  return answer.data;
}

test("each answer is remembered once, although the server is killed again and again", async () => {
  const dataDir = createFolder();
  llm.otherwise(async (request, response) => {
    await Bun.sleep(20);
    const line = userLine(request.text);
    await itemsFrom(() => [{ content: line, evidence: line }])(request, response);
  });
  const flags = ["--llm-base-url", llm.url, "--llm-model", "small"];
  const first = await serve(dataDir, flags);
  const key = String(first.ready.api_key);
  const records: string[] = [];
  for (const user of facts) {
    const body = { action: "gateway.chat", http_status: 200, ...chatPayload({ user, answer: "Noted." }) };
    records.push(String((await send(first.url, key, "POST", "/v1/audit/logs", body)).id));
  }
  await first.end("SIGTERM");
  queueTasks(dataDir, records);

  // Before the model answers, while the outcome is written, and between two tasks.
  for (const delayMs of [0, 15, 22, 24, 26, 28, 32, 45]) {
    const asked = llm.requests.length;
    const server = await serve(dataDir, flags);
    await Promise.race([llm.arrived(asked + 1), Bun.sleep(3_000)]);
    await Bun.sleep(delayMs);
    await server.end("SIGKILL");
  }
  const last = await serve(dataDir, flags);
  for (;;) {
    const { memories } = await send(last.url, key, "GET", "/v1/memories?page_size=100");
    if (Array.isArray(memories) && memories.length === facts.length) break;
    await Bun.sleep(20);
  }
  const list = await send(last.url, key, "GET", "/v1/audit/logs?action=memory.extract&page_size=100");
  const remembered: unknown[] = [];
  for (const { id, http_status } of Array.isArray(list.logs) ? list.logs.filter(isObject) : []) {
    if (http_status !== 200) continue;
    const { request_body } = await send(last.url, key, "GET", `/v1/audit/logs/${String(id)}`);
    remembered.push(isObject(request_body) ? JSON.stringify(request_body.messages) : null);
  }
  await last.end("SIGTERM");
  expect(remembered).toHaveLength(facts.length);
  expect(new Set(remembered).size).toBe(facts.length);
  expect(waitingIn(dataDir)).toEqual([]);
}, 120_000);

test("an answer is remembered once, although the server is killed right after it", async () => {
  const dataDir = createFolder();
  await using upstream = await startFakeUpstream();
  writeFileSync(
    join(dataDir, "memledger.toml"),
    `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\n`,
  );
  llm.otherwise(async (request, response) => {
    await Bun.sleep(10);
    const line = userLine(request.text);
    await itemsFrom(() => [{ content: line, evidence: line }])(request, response);
  });
  const flags = ["--llm-base-url", llm.url, "--llm-model", "small"];
  let key = "";
  const told = facts.slice(0, 5);
  for (const [index, user] of told.entries()) {
    const server = await serve(dataDir, flags);
    key = key === "" ? String(server.ready.api_key) : key;
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Memledger-Remember": "true",
      },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: user }] }),
    });
    expect(await response.text()).toEndWith("data: [DONE]\n\n");
    await Bun.sleep(index * 8);
    await server.end("SIGKILL");
  }
  const last = await serve(dataDir, flags);
  for (;;) {
    const { memories } = await send(last.url, key, "GET", "/v1/memories?page_size=100");
    if (Array.isArray(memories) && memories.length === told.length) break;
    await Bun.sleep(20);
  }
  const list = await send(last.url, key, "GET", "/v1/audit/logs?action=memory.extract&page_size=100");
  const stored = (Array.isArray(list.logs) ? list.logs : []).filter(
    (log) => isObject(log) && log.http_status === 200,
  );
  expect(stored).toHaveLength(told.length);
  await last.end("SIGTERM");
  expect(waitingIn(dataDir)).toEqual([]);
});

test("a backup has the queue, and a restored server goes on with it", async () => {
  const dataDir = createFolder();
  llm.otherwise(() => undefined);
  const flags = ["--llm-base-url", llm.url, "--llm-model", "small"];
  const first = await serve(dataDir, flags);
  const key = String(first.ready.api_key);
  const body = {
    action: "gateway.chat",
    http_status: 200,
    ...chatPayload({ user: facts[0] ?? "", answer: "Yes." }),
  };
  const record = String((await send(first.url, key, "POST", "/v1/audit/logs", body)).id);
  await first.end("SIGTERM");
  queueTasks(dataDir, [record]);
  const folder = createFolder();
  const backup = join(folder, "copy.backup");
  expect((await runJson(["backup", backup, "--include-signing-key", "--data-dir", dataDir])).exitCode).toBe(
    0,
  );
  rmSync(dataDir, { recursive: true });
  const restored = join(folder, "restored");
  expect((await runJson(["restore", backup, "--data-dir", restored])).exitCode).toBe(0);
  expect(waitingIn(restored)).toEqual([record]);
  const asked = llm.requests.length;
  const second = await serve(restored, flags);
  await llm.arrived(asked + 1);
  expect(userLine(llm.requests.at(-1)?.text ?? "")).toBe(facts[0] ?? "");
  await second.end("SIGTERM");
});
