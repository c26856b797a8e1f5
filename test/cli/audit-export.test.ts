// Proves `memledger audit export`: with a running server, without one, and what it says when it cannot.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

test("an export is written with and without a server, and verifies far from both", async () => {
  const [dataDir, elsewhere] = [createFolder(), createFolder()];
  const span = ["--data-dir", dataDir, "--project", "default", "--from", "2020-01-01", "--to", "2099-01-01"];
  const server = await serve(dataDir);
  await createFact(server.url, server.ready.api_key, 'Größe, "quoted"\n=1+1');
  const csv = join(elsewhere, "new", "ledger.csv");
  const running = await runJson(["audit", "export", ...span, "--out", csv]);
  expect([running.exitCode, running.object]).toMatchObject([0, { format: "csv", records: 1, file: csv }]);
  const checkpoint = await run(["audit", "checkpoint", "--data-dir", dataDir, "--project", "default"]);
  await server.end("SIGTERM");

  const json = join(elsewhere, "ledger.json");
  const stopped = await runJson(["audit", "export", ...span, "--format", "json", "--out", json]);
  expect([stopped.exitCode, stopped.object]).toMatchObject([
    0,
    { format: "json", records: 1, verifiable: true, manifest: `${json}.manifest` },
  ]);
  const [record] = JSON.parse(readFileSync(json, "utf8"));
  expect(record.request_body.content).toBe('Größe, "quoted"\n=1+1');
  const day = record.created_at.slice(0, 10);
  const ofDay = ["--data-dir", dataDir, "--project", "default", "--from", day, "--to", day];
  const whole = await runJson(["audit", "export", ...ofDay, "--out", join(elsewhere, "day.csv")]);
  expect([whole.exitCode, whole.object]).toMatchObject([0, { records: 1 }]);
  const note = join(elsewhere, "checkpoint");
  await Bun.write(note, checkpoint.stdout);
  const key = ["--public-key", join(dataDir, "audit.pub")];
  for (const file of [csv, json]) {
    const verified = await runJson(["audit", "verify", file, ...key, "--checkpoint", note]);
    expect([verified.exitCode, verified.object.verdict]).toEqual([0, "intact"]);
  }
}, 60_000);

test("a project that nobody has called yet has an empty export", async () => {
  const dataDir = createFolder();
  expect(
    (await runJson(["project", "create", "--data-dir", dataDir, "--name", "new", "--plan", "pro"])).exitCode,
  ).toBe(0);
  const out = join(dataDir, "new.json");
  const from = new Date(Date.now() - 60_000).toISOString();
  const words = [
    "--data-dir",
    dataDir,
    "--project",
    "new",
    "--from",
    from,
    "--to",
    "2099-01-01",
    "--out",
    out,
  ];
  const made = await runJson(["audit", "export", ...words, "--format", "json"]);
  expect([made.exitCode, made.object]).toMatchObject([0, { records: 0, verifiable: false }]);
  expect(readFileSync(out, "utf8")).toBe("[\n]\n");
  const verified = await runJson(["audit", "verify", out, "--public-key", join(dataDir, "audit.pub")]);
  expect([verified.exitCode, verified.object.failure]).toEqual([10, null]);
}, 60_000);

test("what cannot be exported is refused in one line", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  await server.end("SIGTERM");
  const out = join(dataDir, "out.csv");
  const words = (project: string, from: string, to: string) => [
    ...["audit", "export", "--data-dir", dataDir, "--out", out],
    ...["--project", project, "--from", from, "--to", to],
  ];
  const unknown = await runJson(words("nobody", "2020-01-01", "2099-01-01"));
  expect([unknown.exitCode, unknown.object.error]).toMatchObject([1, { code: 1400 }]);
  const backwards = await runJson(words("default", "2099-01-01", "2020-01-01"));
  expect([backwards.exitCode, backwards.object.error]).toMatchObject([1, { code: 1400 }]);
  const format = await runJson([...words("default", "2020-01-01", "2099-01-01"), "--format", "xml"]);
  expect(format.exitCode).toBe(2);
  expect((await runJson(["audit", "export", "--data-dir", dataDir])).exitCode).toBe(2);
  expect(existsSync(out)).toBe(false);
}, 60_000);
