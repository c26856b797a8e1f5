// Proves verification through the API: what it says of a good chain, that it goes on where it ended, that it finds a change, also one
// behind the records that it has checked, and that a long chain keeps nobody waiting.

import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { entryHash } from "../../src/audit/chain.ts";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import type { Verification } from "../../src/calls/storage/ledger-store.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { createVerificationRounds } from "../../src/engines/sqlite/verify/verification-rounds.ts";
import { createVerificationSteps } from "../../src/engines/sqlite/verify/verification-steps.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { createLogger } from "../../src/platform/log/logger.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { startTestApp } from "../fixture.ts";
import { tamper } from "./tamper.ts";

const dayMs = 86_400_000;
const app = await startTestApp();
afterAll(() => app.stop());

const verify = (key: string) => app.call("GET", "/v1/audit/verify", { key });
const read = (key: string) => app.call("GET", "/v1/memories", { key });

/** Changes what append-only triggers protect, as somebody with access to the file can. */
function change(work: (database: Database) => void): void {
  tamper(join(app.config.dataDir, "memledger.db"), work);
}

/** One line, which says where. */
function expectLogged(place: RegExp): void {
  const lines = app.complaints.splice(0);
  expect(lines).toEqual([expect.stringMatching(/^a chain does not verify.*project: "\w{32}"/s)]);
  expect(lines[0]).toMatch(place);
}

const chainOf = "(SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))";

const changeStatus = (projectId: string, seq: number) =>
  change((database) => {
    database
      .prepare(`UPDATE audit_entry SET status = 500 WHERE chain = ${chainOf} AND seq = ?`)
      .run(projectId, seq);
  });

/** Writes another duration into a record, and seals it and all that follow anew. */
const rewriteFrom = (projectId: string, seq: number) =>
  change((database) => {
    const rows = database
      .prepare<[string, number], { number: number; seq: number; entry: string }>(
        `SELECT number, seq, entry FROM audit_entry WHERE chain = ${chainOf} AND seq >= ? ORDER BY seq`,
      )
      .all(projectId, seq);
    const update = database.prepare("UPDATE audit_entry SET entry = ?, hash = ? WHERE number = ?");
    let prev: string | null = null;
    for (const row of rows) {
      const entry: unknown = JSON.parse(row.entry);
      if (!isObject(entry) || !isObject(entry.numbers)) throw new Error("the record is no entry");
      const numbers = row.seq === seq ? { ...entry.numbers, duration: 4711 } : entry.numbers;
      const text = canonicalize({ ...entry, numbers, prev: prev ?? entry.prev }) ?? "";
      prev = entryHash(text);
      update.run(text, prev, row.number);
    }
  });

/** Records so large that one step of a verification checks few of them. */
async function appendLarge(key: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const output_content = randomBytes(700_000).toString("base64");
    const body = { action: "gateway.chat", http_status: 200, output_content };
    expect((await app.call("POST", "/v1/audit/logs", { key, body })).status).toBe(201);
  }
}

test("a good chain is verified once, and then from where that ended", async () => {
  const { key } = await app.createProject("business");
  for (let index = 0; index < 30; index++) await read(key);
  const first = await verify(key);
  expect(first.status).toBe(200);
  expect(first.data).toEqual({
    verdict: "unattested",
    chain: expect.stringMatching(/^[0-9a-f]{32}$/),
    verified: 30,
    first_seq: 1,
    last_seq: 30,
    failure: null,
    contradiction: null,
    complete: true,
    last_complete_at: expect.any(String),
    round: { from_seq: 1, through_seq: 30, started_at: expect.any(String), completed_at: expect.any(String) },
  });
  for (let index = 0; index < 5; index++) await read(key);
  const second = await verify(key);
  // The call before left a record, too.
  expect(second.data).toEqual(
    expect.objectContaining({ verdict: "unattested", verified: 6, first_seq: 31, last_seq: 36 }),
  );
  expect(second.data.round).toEqual({ ...Object(first.data.round), through_seq: 36 });
  expect(second.data.last_complete_at).toBe(first.data.last_complete_at);
});

test("a project without records has nothing to verify", async () => {
  const { key } = await app.createProject("custom");
  expect((await verify(key)).data).toEqual(
    expect.objectContaining({
      verdict: "unattested",
      verified: 0,
      last_seq: null,
      complete: true,
      round: null,
    }),
  );
});

test("callers at the same time share one verification", async () => {
  const { id, key } = await app.createProject("business");
  for (let index = 0; index < 20; index++) await read(key);
  const replies = await Promise.all(Array.from({ length: 8 }, () => verify(key)));
  for (const { data } of replies) expect(data.verdict).toBe("unattested");
  // The answers do not show it, so the steps are counted: every record was read once, with those of the calls in between.
  const steps: string[] = [];
  using here = await verifierOf(id, key, async (step) => void steps.push(step));
  const results = await Promise.all(Array.from({ length: 8 }, here.verify));
  expect(results.map(({ report }) => report?.records)).toEqual(Array(8).fill(29));
  expect(steps).toEqual(["startRun", "verifyStep"]);
});

test("a change is found, told with its position, and never forgotten", async () => {
  const { id, key } = await app.createProject("business");
  for (let index = 0; index < 12; index++) await read(key);
  changeStatus(id, 7);
  for (let attempt = 0; attempt < 2; attempt++) {
    const { data } = await verify(key);
    expect(data).toEqual(
      expect.objectContaining({
        verdict: "broken",
        failure: expect.objectContaining({ seq: 7, check: "columns" }),
      }),
    );
  }
  // Once, however often somebody asks.
  expectLogged(/seq: 7,\s+check: "columns"/);
});

test.each<[string, () => Promise<void>]>([
  ["a restart", () => app.restart()],
  ["a day", async () => app.passTime(dayMs)],
])("a change behind what was verified is found after %s", async (_, wait) => {
  const { id, key } = await app.createProject("business");
  for (let index = 0; index < 12; index++) await read(key);
  const before = await verify(key);
  expect(before.data).toEqual(expect.objectContaining({ verdict: "unattested", last_seq: 12 }));
  changeStatus(id, 7);
  await wait();
  const { data } = await verify(key);
  expect(data).toEqual(
    expect.objectContaining({
      verdict: "broken",
      first_seq: 1,
      last_seq: 13,
      complete: true,
      failure: expect.objectContaining({ seq: 7, check: "columns" }),
      round: expect.objectContaining({ from_seq: 1, through_seq: 13, completed_at: null }),
    }),
  );
  expectLogged(/seq: 7,\s+check: "columns"/);
});

test("a call does not wait for a long chain; the run continues, and later calls say how far it is", async () => {
  const { key } = await app.createProject("custom");
  await appendLarge(key, 16);
  // Each moment lasts longer than a call waits, so the first step is all that it sees.
  const timer = setInterval(() => app.passTime(11_000), 1);
  const first = (await verify(key)).data;
  clearInterval(timer);
  expect(first).toEqual(
    expect.objectContaining({ verdict: "unattested", complete: false, first_seq: 1, last_complete_at: null }),
  );
  expect(first.last_seq).toBeLessThan(16);
  expect(first.round).toEqual(expect.objectContaining({ through_seq: first.last_seq, completed_at: null }));
  const second = (await verify(key)).data;
  expect(second.complete).toBe(true);
  expect(second.round).toEqual(
    expect.objectContaining({
      from_seq: 1,
      through_seq: second.last_seq,
      started_at: Object(first.round).started_at,
      completed_at: second.last_complete_at,
    }),
  );
});

test("retention may remove records that a run has not reached", async () => {
  const { id, key } = await app.createProject("business");
  await appendLarge(key, 14);
  app.passTime(366 * dayMs);
  for (let index = 0; index < 3; index++) await read(key);
  let steps = 0;
  using here = await verifierOf(id, key, async (step) => {
    if (step === "verifyStep" && ++steps === 2) await pruneAndWait(id);
  });
  const { report, isComplete, round } = await here.verify();
  expect([isComplete, report?.failure, report?.contradiction]).toEqual([true, null, null]);
  expect(round).toEqual(expect.objectContaining({ fromSeq: 15, throughSeq: 19 }));
  expect(steps).toBeGreaterThan(2);
});

/** Verifies the project's chain in this process; `onStep` is awaited before each step. */
async function verifierOf(
  projectId: string,
  key: string,
  onStep: (step: "startRun" | "verifyStep") => Promise<void>,
): Promise<Disposable & { verify(): Promise<Verification> }> {
  const verifierKeys = [await verifierKey(key)];
  const path = join(app.config.dataDir, "memledger.db");
  const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
  const project = { id: projectId };
  const prover = createVerificationSteps(database, verifierKeys);
  const verifyHere = createVerificationRounds(
    {
      async startRun(of, mark, isRoundDue) {
        await onStep("startRun");
        return prover.startRun(of, mark, isRoundDue);
      },
      async verifyStep(chain, above, through) {
        await onStep("verifyStep");
        return prover.verifyStep(chain, above, through);
      },
    },
    createClock(),
    createLogger("error"),
  );
  return { verify: () => verifyHere.project(Object(project)), [Symbol.dispose]: () => database.close() };
}

async function verifierKey(key: string): Promise<string> {
  return String((await app.call("GET", "/v1/audit/checkpoint", { key })).data.public_key);
}

async function pruneAndWait(projectId: string): Promise<void> {
  await app.administer(pruneRecords, {});
  const isPruned = () => app.records(projectId).at(0)?.entry.seq === 15;
  for (let tries = 0; tries < 200 && !isPruned(); tries++) await Bun.sleep(20);
}

test("plans that do not show hashes are refused", async () => {
  const { key } = await app.createProject("pro");
  const reply = await verify(key);
  expect([reply.status, reply.code]).toEqual([403, 2207]);
  expect(reply.message).toContain("business or custom");
});

// The last test: retention and checkpoints of all chains fail from here on, because the server refuses the changed one.
test("a chain that was rewritten and sealed anew contradicts what was verified before, and its calls are refused", async () => {
  const { id, key } = await app.createProject("business");
  for (let index = 0; index < 12; index++) await read(key);
  expect((await verify(key)).data.verdict).toBe("unattested");
  using here = await verifierOf(id, key, async () => {});
  expect((await here.verify()).report?.contradiction).toBeNull();
  rewriteFrom(id, 5);
  const { report } = await here.verify();
  expect(report).toMatchObject({ failure: null, contradiction: { kind: "rewritten", size: 13 } });
  const refused = await verify(key);
  expect([refused.status, refused.code]).toEqual([503, 1503]);
  expect(refused.message).toContain("another process has changed the ledger");
  expectLogged(/seq: 12,\s+check: "rewritten"/);
});
