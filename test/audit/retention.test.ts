// Proves pruning by retention: what goes, what stays, and what the chain says about it.

import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAnchor } from "../../src/audit/checkpoint.ts";
import { openNote } from "../../src/audit/signed-note.ts";
import { previewRetention } from "../../src/calls/operations/access/preview-retention.ts";
import { updateProject } from "../../src/calls/operations/access/project-operations.ts";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { startTestApp } from "../fixture.ts";
import { main } from "../program.ts";
import { tamper } from "./tamper.ts";

const dayMs = 86_400_000;
const app = await startTestApp();
const path = join(app.config.dataDir, "memledger.db");
const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
afterAll(async () => {
  database.close();
  await app.stop();
});

const seqsOf = (projectId: string) =>
  database
    .prepare(
      `SELECT seq FROM audit_entry WHERE chain =
         (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?)) ORDER BY seq`,
    )
    .pluck()
    .all(projectId) as number[];

describe("pruning", async () => {
  const project = await app.createProject("basic");
  const kept = await app.createProject("custom");
  for (let index = 0; index < 20; index++) {
    await app.call("GET", "/v1/memories", { key: project.key });
    await app.call("GET", "/v1/memories", { key: kept.key });
  }
  app.passTime(31 * dayMs);
  for (let index = 0; index < 3; index++) await app.call("GET", "/v1/memories", { key: project.key });
  const swept = await app.administer(pruneRecords, {});

  test("answers when it is done, with what it did to each chain", () => {
    expect(swept).toEqual({
      records: 20,
      payloads: 0,
      chains: [
        {
          chain: expect.stringMatching(/^[0-9a-f]{32}$/),
          project: project.id,
          records: 20,
          payloads: 0,
          anchored_through: 20,
          skipped: null,
        },
      ],
    });
    expect(seqsOf(project.id)[0]).toBe(21);
  });

  test("leaves the newer records, says so on the chain, and touches no other project", async () => {
    const records = app.records(project.id);
    expect(records.map(({ action }) => action)).toEqual([
      "memory.list",
      "memory.list",
      "memory.list",
      "audit.prune",
    ]);
    expect(records.at(-1)?.payload).toEqual({ through: 20, count: 20, cause: "retention" });
    expect(seqsOf(kept.id)).toHaveLength(20);
  });

  test("covers the record of the removal with a checkpoint of the same transaction", () => {
    const sizes = database
      .prepare(
        "SELECT size FROM audit_checkpoint WHERE chain = (SELECT chain FROM audit_anchor) ORDER BY size DESC",
      )
      .pluck()
      .all();
    expect(sizes[0]).toBe(24);
  });

  test("leaves a signed anchor from which the chain goes on", () => {
    const note = database.prepare("SELECT note FROM audit_anchor").pluck().get();
    const key = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim();
    const anchor = parseAnchor(openNote(String(note), key) ?? "");
    const [first] = app.records(project.id);
    expect(anchor).toEqual(
      expect.objectContaining({ through: 20, count: 20, cause: "retention", hash: first?.entry.prev }),
    );
  });

  test("again finds nothing to do", async () => {
    const before = seqsOf(project.id);
    expect(await app.administer(pruneRecords, {})).toEqual({ records: 0, payloads: 0, chains: [] });
    expect(seqsOf(project.id)).toEqual(before);
  });

  test("never takes the newest record of a chain", async () => {
    app.passTime(400 * dayMs);
    await app.administer(pruneRecords, {});
    expect(seqsOf(project.id)[0]).toBe(24);
    expect(app.records(project.id).map(({ action }) => action)).toEqual(["audit.prune", "audit.prune"]);
  });

  test("goes on listing and appending afterwards", async () => {
    const reply = await app.call("GET", "/v1/audit/logs", { key: project.key });
    const logs = Array.isArray(reply.data.logs) ? reply.data.logs.filter(isObject) : [];
    expect(logs.map(({ action }) => action)).toEqual(["audit.prune"]);
  });
});

describe("pruning of the installation's own chain", () => {
  const installation = () =>
    database
      .prepare(
        "SELECT MIN(seq) AS first, MAX(seq) AS last FROM audit_entry WHERE chain = (SELECT number FROM audit_chain WHERE project IS NULL)",
      )
      .get() as { first: number; last: number };

  test("takes what is older than installation-retention-days, and says so on it", async () => {
    const { first, last } = installation();
    app.passTime(366 * dayMs);
    const { chains } = await app.administer(pruneRecords, {});
    expect(chains).toContainEqual(
      expect.objectContaining({
        project: null,
        records: last - first,
        anchored_through: last - 1,
        skipped: null,
      }),
    );
    expect(installation().first).toBe(last);
    const [, prune] = app.records(null, last - 1);
    expect([prune?.action, prune?.payload.through]).toEqual(["audit.prune", last - 1]);
  });

  test("leaves a database that verifies", async () => {
    const child = Bun.spawn([process.execPath, main, "audit", "verify", app.config.dataDir, "--json"]);
    const report = JSON.parse(await new Response(child.stdout).text());
    expect([await child.exited, report.failure]).toEqual([10, null]);
    expect(report.chains).toContainEqual(expect.objectContaining({ project: null, anchors: 2 }));
  });
});

test("a chain that does not verify is skipped, with the reason", async () => {
  const project = await app.createProject("basic");
  for (let index = 0; index < 5; index++) await app.call("GET", "/v1/memories", { key: project.key });
  tamper(path, (altered) =>
    altered
      .prepare(
        `UPDATE audit_entry SET entry = replace(entry, '"status":200', '"status":201') WHERE seq = 2 AND chain =
           (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))`,
      )
      .run(project.id),
  );
  app.passTime(31 * dayMs);
  const { chains } = await app.administer(pruneRecords, {});
  expect(chains).toContainEqual(
    expect.objectContaining({
      project: project.id,
      records: 0,
      anchored_through: null,
      skipped: "its oldest records do not verify; run memledger audit verify",
    }),
  );
});

test("the preview of a shorter retention counts what the next sweep removes, and removes nothing", async () => {
  const project = await app.createProject("custom");
  for (let index = 0; index < 5; index++) await app.call("GET", "/v1/memories", { key: project.key });
  app.passTime(10 * dayMs);
  const preview = (changes: JsonObject) =>
    app.administer(previewRetention, { project: project.id, ...changes });
  const shorter = { days_before: null, days_after: 9, is_shorter: true };
  // The newest record always stays.
  expect(await preview({ retention_days: 9 })).toMatchObject({ ...shorter, records: 4 });
  for (let index = 0; index < 2; index++) await app.call("GET", "/v1/memories", { key: project.key });
  expect(await preview({ retention_days: 9 })).toMatchObject({ ...shorter, records: 5 });
  expect(await preview({ plan: "basic" })).toMatchObject({ is_shorter: true, records: 0 });
  expect(await preview({ credits: 5 })).toMatchObject({ is_shorter: false, records: 0 });
  await app.administer(pruneRecords, {});
  expect(seqsOf(project.id)).toHaveLength(7);
  await app.administer(updateProject, { project: project.id, retention_days: 9 });
  await app.administer(pruneRecords, {});
  // Two, and the record of the pruning.
  expect(seqsOf(project.id)).toEqual([6, 7, 8]);
});
