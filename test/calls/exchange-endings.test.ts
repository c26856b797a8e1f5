// Tests how exchanges end otherwise: the client leaves, the record cannot be committed, records are erased meanwhile, the key is revoked,
// the server stops. What was passed on must be on record, and no client may take a part of an answer for the whole.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Worker } from "node:worker_threads";
import { revokeKey } from "../../src/calls/operations/access/key-operations.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { injectMemories } from "../../src/calls/operations/search/inject.ts";
import { Refusal } from "../../src/platform/errors.ts";
import { spawnWorker } from "../../src/platform/threads/spawn.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { hang, spawnHanging } from "../platform/threads/hanging-worker.ts";
import {
  broken,
  encode,
  events,
  exchangeBy,
  exchangeRecord,
  isComplete,
  openExchange,
  receiveAll,
  restoreExchange,
  sendExchange,
} from "./exchanging.ts";

let app: TestApp;
let beforeCommit: (operation: string) => Promise<void> = async () => {};

beforeAll(async () => {
  app = await startTestApp({}, undefined, async (call, commit) => {
    await beforeCommit(call.operation);
    return commit(call);
  });
});
afterAll(() => app.stop());
afterEach(() => {
  restoreExchange();
  beforeCommit = async () => {};
});

const countRecords = () => app.countRecords(app.projectId);
const head = { status: 200, headers: events };

/** A memory, and the id of its record. */
async function createMemory(content: string): Promise<string> {
  const { data } = await app.call("POST", "/v1/memories", { body: { content, memory_type: "fact" } });
  return String(data.id);
}

describe("a client that closes the connection", () => {
  test("aborts the exchange, which is recorded with what was received", async () => {
    const before = countRecords();
    const aborted = Promise.withResolvers<void>();
    exchangeBy(async (exchange, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve());
      exchange.begin(head);
      let received = "";
      try {
        for (let index = 1; ; index++) {
          await exchange.write(encode(`data: ${index}\n\n`));
          received += index;
          await Bun.sleep(5);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
        expect(error).toMatchObject({ code: 1499 });
      }
      return { details: { output_content: received.slice(0, 3) }, entry: broken };
    });
    const socket = openExchange(app);
    await new Promise<void>((resolve) => {
      socket.on("data", (bytes) => bytes.toString().includes("data: 3") && resolve());
    });
    socket.destroy();
    await aborted.promise;
    const { entry, payload } = await exchangeRecord(app, before);
    expect(entry).toMatchObject({ status: 499, code: 1499, performed: true });
    expect(payload.output_content).toBe("123");
  });

  test("before the first byte is recorded, too", async () => {
    const before = countRecords();
    const started = Promise.withResolvers<void>();
    exchangeBy(async (exchange, { signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      exchange.begin(head);
      await exchange.write(encode("too late"));
      return {};
    });
    const socket = openExchange(app);
    await started.promise;
    socket.destroy();
    const { entry } = await exchangeRecord(app, before);
    expect(entry).toMatchObject({ status: 499, code: 1499 });
  });
});

describe("an answer without a record", () => {
  test("that was not begun is an error", async () => {
    exchangeBy(async (exchange) => {
      exchange.begin(head);
      exchange.hold([encode("all of it")]);
      return {};
    });
    beforeCommit = async () => {
      throw new Refusal(1503, "The disk is full.", {}, 1);
    };
    const response = await sendExchange(app);
    expect(response.status).toBe(503);
    expect(response.headers.get("memledger-record")).toBeNull();
    expect(await response.text()).not.toContain("all of it");
  });

  test("because the writer has ended has no end, and the server goes on", async () => {
    const writers: Worker[] = [];
    let isKilled = false;
    const killed = await startTestApp(
      {},
      (name, init) => {
        if (name !== "writer") return spawnWorker(name, init);
        const writer = spawnHanging(name, init);
        writers.push(writer);
        return writer;
      },
      async (call, commit) => {
        if (call.operation !== "gateway.chat" || isKilled) return commit(call);
        isKilled = true;
        await hang(writers[0], { hang: "loop" });
        const committed = commit(call);
        await writers[0]?.terminate();
        return committed;
      },
    );
    exchangeBy(async (exchange) => {
      exchange.begin(head);
      await exchange.write(encode("data: 1\n\n"));
      exchange.hold([encode("data: [DONE]\n\n")]);
      return {};
    });
    const received = await receiveAll(openExchange(killed));
    expect(received).toContain("data: 1");
    expect(received).not.toContain("[DONE]");
    expect(isComplete(received)).toBeFalse();
    let text = "";
    while (!text.includes("[DONE]")) text = await (await sendExchange(killed)).text().catch(() => "");
    // The threads that ended.
    expect(killed.complaints.length).toBeGreaterThan(0);
    killed.complaints.length = 0;
    await killed.stop();
  });

  test("that has broken off upstream gets no end, and is recorded", async () => {
    const before = countRecords();
    exchangeBy(async (exchange) => {
      exchange.begin(head);
      await exchange.write(encode("data: 1\n\n"));
      exchange.hold([encode("the end")]);
      exchange.breakOff();
      return { entry: { status: 200, code: 1502, numbers: {} }, details: { error_msg: "broke off" } };
    });
    const received = await receiveAll(openExchange(app));
    expect(received).toContain("data: 1");
    expect(received).not.toContain("the end");
    expect(isComplete(received)).toBeFalse();
    const { entry, payload } = await exchangeRecord(app, before);
    expect(entry).toMatchObject({ status: 200, code: 1502 });
    expect(payload.error_msg).toBe("broke off");
  });
});

describe("records that are erased meanwhile", () => {
  test("let the exchange be composed again: nothing is sent twice, and no erased text is recorded", async () => {
    const content = "The secret name of the harbour is Perpetua.";
    const memory = await createMemory(content);
    const before = countRecords();
    const [sent, preparations]: [string[], boolean[]] = [[], []];
    exchangeBy(async (exchange, { perform }) => {
      preparations.push(exchange.isErasedMeanwhile);
      const answer = await exchange.once(async () => {
        await perform(injectMemories, { query: "What is the name of the harbour?" });
        exchange.begin(head);
        sent.push("data: Perpetua");
        await exchange.write(encode("data: Perpetua\n\n"));
        await app.administer(eraseRecords, { memory, delete_memory: true });
        exchange.hold([encode("data: [DONE]\n\n")]);
        return "Perpetua";
      });
      const kept = exchange.isErasedMeanwhile ? { left_out: "erased meanwhile" } : { output_content: answer };
      return { details: { model_id: "m", ...kept } };
    });
    const received = await (await sendExchange(app)).text();
    expect(received).toBe("data: Perpetua\n\ndata: [DONE]\n\n");
    expect(sent).toHaveLength(1);
    expect(preparations).toEqual([false, true]);
    const { entry, payload } = await exchangeRecord(app, before);
    expect(entry).toMatchObject({ status: 200, code: 1000 });
    expect(payload).toMatchObject({ model_id: "m", left_out: "erased meanwhile" });
    expect(JSON.stringify(app.records(app.projectId))).not.toContain("Perpetua");
  });

  test("as often as it happens", async () => {
    const memories = [await createMemory("One."), await createMemory("Two."), await createMemory("Three.")];
    const before = countRecords();
    exchangeBy(async (exchange) => {
      await exchange.once(async () => exchange.begin(head));
      exchange.hold([encode("all")]);
      return { details: { attempt: exchange.isErasedMeanwhile ? "later" : "first" } };
    });
    beforeCommit = async (operation) => {
      const memory = operation === "gateway.chat" ? memories.pop() : undefined;
      if (memory !== undefined) await app.administer(eraseRecords, { memory });
    };
    const response = await sendExchange(app);
    expect(await response.text()).toBe("all");
    expect((await exchangeRecord(app, before)).payload.attempt).toBe("later");
  });
});

test("a key that is revoked meanwhile: what was passed on is recorded, and the answer ends", async () => {
  const { id, key } = await app.createKey(app.projectId, ["gateway.use"]);
  const before = countRecords();
  exchangeBy(async (exchange) => {
    exchange.begin(head);
    await exchange.write(encode("data: 1\n\n"));
    await app.administer(revokeKey, { key: id });
    exchange.hold([encode("data: [DONE]\n\n")]);
    return { details: { output_content: "1" } };
  });
  const response = await sendExchange(app, { key });
  expect(await response.text()).toEndWith("[DONE]\n\n");
  const { entry, payload } = await exchangeRecord(app, before);
  expect(entry).toMatchObject({ status: 200, code: 1000, key: id });
  expect(payload.output_content).toBe("1");
  expect((await sendExchange(app, { key })).status).toBe(401);
});

test("an error of the operation after the first byte is recorded, and the answer has no end", async () => {
  const before = countRecords();
  exchangeBy(async (exchange) => {
    exchange.begin(head);
    await exchange.write(encode("data: 1\n\n"));
    throw new Refusal(1502, "The upstream broke off.");
  });
  expect(isComplete(await receiveAll(openExchange(app)))).toBeFalse();
  expect((await exchangeRecord(app, before)).entry).toMatchObject({ status: 502, code: 1502 });
});

test("a server that stops gives exchanges its time, then cuts and records them", async () => {
  const stopping = await startTestApp({ "shutdown-grace-seconds": "1" });
  exchangeBy(async (exchange, { signal }) => {
    exchange.begin(head);
    await exchange.write(encode("data: 1\n\n"));
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { entry: broken, details: { output_content: "1" } };
  });
  const socket = openExchange(stopping);
  const received = receiveAll(socket);
  await new Promise((resolve) => socket.once("data", resolve));
  let record: Awaited<ReturnType<typeof exchangeRecord>> | undefined;
  await stopping.restart(async () => {
    record = stopping.records(stopping.projectId).findLast(({ action }) => action === "gateway.chat");
  });
  expect(isComplete(await received)).toBeFalse();
  expect(record?.entry).toMatchObject({ status: 499, code: 1499 });
  expect(record?.payload.output_content).toBe("1");
  await stopping.stop();
});
