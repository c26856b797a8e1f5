// Proves that no credit is spent twice, lost, or kept from a call that could have it, while a language model is asked.

import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { openProject } from "../../attack/victim.ts";
import { killAll, startServer, temporaryFolder } from "../../crash/server.ts";
import { startTestApp } from "../../fixture.ts";
import { type FakeRequest, hangs, items, type Reply, sends } from "./fake-llm.ts";
import { moved as movedItem, startLlmApp } from "./llm-app.ts";

const { llm, app, llmSettings: settings, stop } = await startLlmApp({ "log-level": "silent" });
afterAll(async () => {
  await killAll();
  await stop();
});

const text = `Dana: ${movedItem.evidence}`;
const moved = items(movedItem);

const extract = (key: string, fields: JsonObject = {}) =>
  app.call("POST", "/v1/memories/extract", { key, body: { text, ...fields } });

/** Answers that wait until the test lets them go. */
function held(): { reply: Reply; release: () => void } {
  const released = Promise.withResolvers<void>();
  return {
    release: released.resolve,
    reply: async (request: FakeRequest, response) => {
      await released.promise;
      await moved(request, response);
    },
  };
}

const codesOf = (replies: readonly { readonly code: number | null }[]) => replies.map(({ code }) => code);

test("with one credit, one of 64 calls asks the language model, and the others are refused at once", async () => {
  const project = await app.createProject("custom", { credits: 1 });
  const asked = llm.requests.length;
  const { reply, release } = held();
  llm.otherwise(reply);
  const calls = Array.from({ length: 64 }, () => extract(project.key));
  let refused = 0;
  const refusals = new Promise<void>((resolve) => {
    for (const call of calls) {
      void call.then(({ code }) => {
        if (code === 1402 && ++refused === 63) resolve();
      });
    }
  });
  await refusals;
  release();
  const replies = await Promise.all(calls);
  expect(codesOf(replies).filter((code) => code === 1000)).toHaveLength(1);
  expect(llm.requests.length - asked).toBe(1);
  expect(replies.find(({ code }) => code === 1402)).toMatchObject({
    status: 402,
    message: "Not enough credits: 1 credit required, 0 available. Ask the operator to add credits.",
    data: { credits: 0, cost: 1 },
  });
  expect((await extract(project.key)).code).toBe(1402);
  expect(llm.requests.length - asked).toBe(1);
});

test("calls that the credits suffice for are never refused because others run", async () => {
  llm.otherwise(moved);
  for (let round = 0; round < 5; round++) {
    const project = await app.createProject("custom", { credits: 12 });
    const codes = codesOf(await Promise.all(Array.from({ length: 12 }, () => extract(project.key))));
    expect(codes).toEqual(Array(12).fill(1000));
    expect((await extract(project.key)).code).toBe(1402);
  }
});

describe("a credit is usable again", () => {
  test("after the language model has failed", async () => {
    const project = await app.createProject("custom", { credits: 1 });
    llm.next(sends(401), sends(401));
    for (const _ of [1, 2]) expect((await extract(project.key)).code).toBe(2103);
    llm.otherwise(moved);
    expect((await extract(project.key)).code).toBe(1000);
  });

  test("after the caller has left", async () => {
    const project = await app.createProject("custom", { credits: 1 });
    const asked = llm.requests.length;
    llm.next(hangs);
    const caller = new AbortController();
    const left = fetch(`${app.url}/v1/memories/extract`, {
      method: "POST",
      headers: { Authorization: `Bearer ${project.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ text }),
      signal: caller.signal,
    }).catch(() => "gone");
    await llm.arrived(asked + 1);
    expect((await extract(project.key)).code).toBe(1402);
    caller.abort();
    expect(await left).toBe("gone");
    while (app.countRecords(project.id) < 2) await Bun.sleep(5);
    llm.otherwise(moved);
    expect((await extract(project.key)).code).toBe(1000);
  });

  test("after the server was killed while it asked", async () => {
    using folder = temporaryFolder();
    const flags = ["--llm-base-url", llm.url, "--llm-model", "small"];
    const options = { dataDir: folder.path, flags };
    const asked = llm.requests.length;
    llm.next(hangs);
    const first = await startServer(options);
    const send = await openProject(folder.path, first.url, "killed", { credits: 1 });
    const cut = send("POST", "/v1/memories/extract", { text }).catch(() => "cut off");
    await llm.arrived(asked + 1);
    await first.kill();
    expect(await cut).toBe("cut off");
    llm.otherwise(moved);
    const second = await startServer(options);
    const again = await openProject(folder.path, second.url, "killed");
    const reply = await again("POST", "/v1/memories/extract", { text });
    expect(reply.status).toBe(200);
    expect((await again("POST", "/v1/memories/extract", { text })).status).toBe(402);
    await second.stop();
  });
});

describe("a dry run", () => {
  test("costs as much as a run, because the language model works for it", async () => {
    llm.otherwise(moved);
    const project = await app.createProject("custom", { credits: 1 });
    expect((await extract(project.key, { dry_run: true })).code).toBe(1000);
    expect(app.records(project.id).at(-1)?.entry.numbers).toMatchObject({ credits_consumed: 1 });
    const asked = llm.requests.length;
    expect((await extract(project.key, { dry_run: true })).code).toBe(1402);
    expect(llm.requests.length).toBe(asked);
  });

  test.each([
    ["where the operator says so", { ...settings, "charge-dry-runs": "false" }],
    ["with the built-in extractor", {}],
  ])("is free %s", async (_, flags) => {
    llm.otherwise(moved);
    const other = await startTestApp(flags);
    const project = await other.createProject("custom", { credits: 0 });
    const body = { text, dry_run: true };
    const reply = await other.call("POST", "/v1/memories/extract", { key: project.key, body });
    expect(reply.code).toBe(1000);
    expect(
      (await other.call("POST", "/v1/memories/extract", { key: project.key, body: { text } })).code,
    ).toBe(1402);
    await other.stop();
  });
});
