// Proves with real clients of both eras that a cancelled call of a tool stops, and cancels no call of another client.

import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { startTestApp } from "../../fixture.ts";
import { connect, connectPrevious, eras, post, rpc } from "./clients.ts";

/** A language model that never answers, so that an extraction runs until it is cancelled. */
const model = Bun.serve({
  port: 0,
  fetch: async ({ signal }) => {
    asked.resolve();
    if (!signal.aborted) await once(signal, "abort");
    left.resolve();
    return new Response(null, { status: 500 });
  },
});
let asked = Promise.withResolvers<void>();
let left = Promise.withResolvers<void>();
const app = await startTestApp({ "llm-base-url": `http://127.0.0.1:${model.port}/v1`, "llm-model": "slow" });
afterAll(async () => {
  await app.stop();
  await model.stop(true);
});

const input = { name: "memory_extract", arguments: { text: "Ana: Releases go out on Tuesdays." } };

async function expectCancelled(before: number): Promise<void> {
  await left.promise;
  while (app.countRecords(app.projectId) === before) await Bun.sleep(5);
  expect(app.records(app.projectId, before).map(({ action, status }) => [action, status])).toEqual([
    ["memory.extract", 503],
  ]);
}

function reset(): number {
  asked = Promise.withResolvers<void>();
  left = Promise.withResolvers<void>();
  return app.countRecords(app.projectId);
}

test.each(eras)("a client of %s cancels its call", async (era) => {
  const before = reset();
  const { sdk, close } = await connect(app, app.apiKey, era);
  const controller = new AbortController();
  const call = sdk.callTool(input, { signal: controller.signal });
  await asked.promise;
  controller.abort("the user has changed his mind");
  await expect(call).rejects.toThrow();
  await expectCancelled(before);
  await close();
});

test("a client of the previous SDK cancels its call", async () => {
  const before = reset();
  const client = await connectPrevious(app.url, app.apiKey);
  const controller = new AbortController();
  const call = client.callTool(input, undefined, { signal: controller.signal });
  await asked.promise;
  controller.abort("the user has changed his mind");
  await expect(call).rejects.toThrow();
  await expectCancelled(before);
  await client.close();
});

test("a client that closes the connection cancels its call", async () => {
  for (const era of eras) {
    const before = reset();
    const { sdk } = await connect(app, app.apiKey, era);
    const call = sdk.callTool(input).catch(() => null);
    await asked.promise;
    await sdk.close();
    await call;
    await expectCancelled(before);
  }
});

test("a client with the same key and name cannot cancel the call of another one", async () => {
  const before = reset();
  const [mine, other] = await Promise.all([1, 2].map(() => connect(app, app.apiKey, "2025-11-25")));
  if (mine === undefined || other === undefined) throw new Error("no clients");
  const controller = new AbortController();
  const call = mine.sdk.callTool(input, { signal: controller.signal }).catch(() => null);
  await asked.promise;
  for (let id = 0; id < 10; id++) {
    await other.sdk.notification({ method: "notifications/cancelled", params: { requestId: id } });
    await post(app.url, app.apiKey, {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id },
    });
  }
  await post(app.url, app.apiKey, rpc("ping"));
  expect(app.countRecords(app.projectId)).toBe(before);
  controller.abort();
  await call;
  await expectCancelled(before);
  await Promise.all([mine.close(), other.close()]);
});
