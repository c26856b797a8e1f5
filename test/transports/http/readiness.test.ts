// What /health/ready of the real server says: ready while the writer is only busy; unready, with the reason, while a thread is being
// restarted, the writer hangs, a transaction failed or the ledger cannot be appended to; and ready again without a restart.

import { afterEach, expect, test } from "bun:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { writerHangsAfterMs } from "../../../src/platform/limits.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { silenceCheckEveryMs, threadPolicies } from "../../../src/platform/threads/policies.ts";
import { spawnWorker, type WorkerName } from "../../../src/platform/threads/spawn.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { hang, spawnHanging } from "../../platform/threads/hanging-worker.ts";

const opened: { readonly app: TestApp; readonly database: Database | null }[] = [];
afterEach(async () => {
  for (const { app, database } of opened.splice(0)) {
    database?.close();
    app.complaints.length = 0;
    await app.stop();
  }
});

interface Observed {
  readonly app: TestApp;
  /** The newest worker of each name. */
  readonly workers: ReadonlyMap<string, Worker>;
  /** From now on new workers never become ready. */
  holdStarts(): void;
  /** Those that were held are replaced by real ones. */
  releaseStarts(): Promise<void>;
}

async function open(): Promise<Observed> {
  const workers = new Map<string, Worker>();
  let isHeld = false;
  const app = await startTestApp({}, (name: WorkerName, init) => {
    const neverReady = () => new Worker("setInterval(() => {}, 1_000)", { eval: true });
    const worker = isHeld
      ? neverReady()
      : name === "writer"
        ? spawnHanging(name, init)
        : spawnWorker(name, init);
    workers.set(name, worker);
    return worker;
  });
  opened.push({ app, database: null });
  return {
    app,
    workers,
    holdStarts() {
      isHeld = true;
    },
    async releaseStarts() {
      isHeld = false;
      await Promise.all([...workers.values()].map((worker) => worker.terminate()));
    },
  };
}

/** A second connection to the server's database. */
function connect(app: TestApp): Database {
  const { database: path, runtime } = locate(app.config.dataDir);
  const database = openDatabase(path, prepareRuntime(runtime));
  opened.push({ app: { ...app, stop: async () => undefined }, database });
  return database;
}

const ready = (app: TestApp) => app.call("GET", "/health/ready", { key: null });
const fact = (content: string) => ({ body: { content, memory_type: "fact" } });

/** The time of the server passes only a few times as fast as real time, because threads take real time to start and have a deadline for it. */
async function untilReady(app: TestApp): Promise<void> {
  while ((await ready(app)).status !== 200) {
    app.passTime(100);
    await Bun.sleep(20);
  }
}

async function expectUnready(app: TestApp, reason: unknown): Promise<void> {
  const reply = await ready(app);
  expect(reply).toMatchObject({ status: 503, code: 1503, data: { status: "unready", reasons: [reason] } });
  expect(reply.headers.get("retry-after")).toBe("1");
}

test("each thread that is being restarted is named until it is ready again", async () => {
  const { app, workers, holdStarts, releaseStarts } = await open();
  await app.call("POST", "/v1/memories", fact("before"));
  await app.call("POST", "/v1/memories/search", { body: { query: "a" } });
  await app.call("GET", "/v1/memories");
  const span = { start_time: "2020-01-01T00:00:00Z", end_time: "2099-01-01T00:00:00Z" };
  await app.call("POST", "/v1/audit/logs/export", { body: { format: "json", ...span } });
  await app.call("POST", "/v1/memories/extract", {
    body: { text: "Never deploy on Fridays.", dry_run: true },
  });
  expect((await ready(app)).status).toBe(200);
  const names = ["writer", "searcher", "reader", "exporter", "embedder", "extractor"];
  expect(names.filter((name) => !workers.has(name))).toEqual([]);
  holdStarts();
  for (const name of names) await workers.get(name)?.terminate();
  const { status, data } = await ready(app);
  expect(status).toBe(503);
  expect([...(data.reasons as string[])].sort()).toEqual(
    names.map((name) => `the ${name} is restarting`).sort(),
  );
  for (const [method, path, options] of [
    ["POST", "/v1/memories", fact("lost")],
    ["GET", "/v1/memories", {}],
  ] as const) {
    expect((await app.call(method, path, options)).code).toBe(1503);
  }
  // The embedder, too, takes real time to start.
  app.passTime(10_000);
  await turn();
  await releaseStarts();
  await untilReady(app);
  expect((await app.call("POST", "/v1/memories", fact("kept"))).code).toBe(1000);
});

test("a writer that hangs is not ready, whoever waits is told the truth, and the next one takes over", async () => {
  const { app, workers } = await open();
  const first = await app.call("POST", "/v1/memories", fact("before"));
  expect(first.code).toBe(1000);
  const former = workers.get("writer");
  // It holds the lock of the database while it hangs.
  await hang(former, { hang: "locked" });
  const given = app.call("POST", "/v1/memories", fact("given to the writer"));
  while ((await ready(app)).status !== 200) await turn();
  const waiting = app.call("POST", "/v1/memories", fact("waiting for the writer"));
  // Only busy, as far as anybody can know.
  expect((await ready(app)).status).toBe(200);
  const letChecksPass = async (times: number) => {
    for (let check = 0; check < times; check++) {
      app.passTime(silenceCheckEveryMs);
      await Bun.sleep(0);
    }
  };
  await letChecksPass(writerHangsAfterMs / silenceCheckEveryMs);
  while ((await ready(app)).status === 200) await letChecksPass(1);
  await expectUnready(app, expect.stringMatching(/^the writer has not answered for \d+ seconds$/));
  const nothingWasDone = { code: 1503, message: expect.stringContaining("nothing was done"), data: {} };
  expect(await waiting).toEqual(expect.objectContaining(nothingWasDone));
  const late = await app.call("POST", "/v1/memories", fact("late"));
  expect(late).toMatchObject({ code: 1503, message: expect.stringContaining("nothing was done") });

  await letChecksPass(threadPolicies.writer.silenceMaxMs / silenceCheckEveryMs);
  while (workers.get("writer") === former) await letChecksPass(1);
  expect(await given).toMatchObject({
    code: 1503,
    message: expect.stringContaining("It is unknown whether"),
    data: { outcome: "unknown" },
  });
  await untilReady(app);
  expect((await app.call("POST", "/v1/memories", fact("after"))).code).toBe(1000);
  const { data } = await app.call("GET", "/v1/memories");
  const contents = (data.memories as JsonObject[]).map(({ content }) => content);
  expect(contents.sort()).toEqual(["after", "before"]);
});

test("a transaction that failed makes it unready until one succeeds", async () => {
  const { app } = await open();
  const other = connect(app);
  other.exec("BEGIN IMMEDIATE");
  expect((await app.call("POST", "/v1/memories", fact("refused"))).code).toBe(1503);
  let reply = await ready(app);
  // The writer tests the lock itself, which takes longer than the answer may.
  while (!reply.message.includes("another program has locked the database")) {
    expect(reply.status).toBe(503);
    reply = await ready(app);
  }
  other.exec("ROLLBACK");
  await untilReady(app);
  expect((await app.call("POST", "/v1/memories", fact("kept"))).code).toBe(1000);
});

test("a ledger that another process has changed stays unready", async () => {
  const { app } = await open();
  expect((await app.call("POST", "/v1/memories", fact("before"))).code).toBe(1000);
  const other = connect(app);
  other.exec(
    `INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash)
     SELECT chain, seq + 1, hex(randomblob(16)), at, action, status, entry, hash FROM audit_entry
     WHERE chain = (SELECT number FROM audit_chain WHERE project IS NOT NULL) ORDER BY seq DESC LIMIT 1`,
  );
  expect((await app.call("POST", "/v1/memories", fact("refused"))).code).toBe(1503);
  for (let asked = 0; asked < 3; asked++) {
    let reply = await ready(app);
    // On a busy machine the test of the disk that the failure has caused may not have ended.
    while (reply.status === 503 && reply.message.includes("has not tested the disk since")) {
      await Bun.sleep(50);
      reply = await ready(app);
    }
    expect([reply.status, reply.message]).toEqual([
      503,
      expect.stringContaining("another process has changed the ledger"),
    ]);
    app.passTime(60_000);
  }
});
