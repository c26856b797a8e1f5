// Proves `memledger audit export`: with a running server, without one, and what it says when it cannot.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyOutputFiles } from "../../src/cli/output-files.ts";
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
  const folder = join(dataDir, "checkpoints");
  const signatures = readdirSync(folder).flatMap(
    (name) => readFileSync(join(folder, name), "utf8").match(/^— .+$/gm) ?? [],
  );
  expect(signatures).toEqual([...new Set(signatures)]);
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
});

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
});

test("may begin with the day on which the retention of the plan begins, which a refusal names", async () => {
  const dataDir = createFolder();
  const named = ["--data-dir", dataDir, "--project", "new"];
  await runJson(["project", "create", "--data-dir", dataDir, "--name", "new", "--plan", "pro"]);
  const exportFrom = (from: string, out: string) =>
    runJson(["audit", "export", ...named, "--from", from, "--to", "2099-01-01", "--out", join(dataDir, out)]);
  const refused = await exportFrom("2020-01-01", "refused.csv");
  expect([refused.exitCode, refused.object.error]).toMatchObject([1, { code: 2201 }]);
  const [earliest = ""] = /\d{4}-\d\d-\d\dT00:00:00\.000Z/.exec(refused.stderr) ?? [];
  const accepted = await exportFrom(earliest.slice(0, 10), "accepted.csv");
  expect([accepted.exitCode, accepted.object]).toMatchObject([0, { records: 0 }]);
});

describe("a file that is there", () => {
  const dataDir = createFolder();
  const words = (out: string, ...more: string[]) =>
    runJson([
      ...["audit", "export", "--data-dir", dataDir, "--project", "new", "--out", out, "--format", "json"],
      ...["--from", new Date(Date.now() - 60_000).toISOString(), "--to", "2099-01-01", ...more],
    ]);
  beforeAll(async () => {
    await run(["project", "create", "--data-dir", dataDir, "--name", "new", "--plan", "pro"]);
  });

  test.each([["ledger.json"], ["ledger.json.manifest"]])("%s is not overwritten", async (name) => {
    const folder = createFolder();
    const evidence = join(folder, name);
    writeFileSync(evidence, "evidence");
    const countRecords = async () => (await runJson(["audit", "verify", dataDir])).object.records;
    const before = await countRecords();
    const refused = await words(join(folder, "ledger.json"));
    expect([refused.exitCode, refused.object.error]).toMatchObject([
      1,
      { message: expect.stringContaining(`${evidence} already exists`) },
    ]);
    expect(refused.stderr).toContain("--force");
    expect([readdirSync(folder), readFileSync(evidence, "utf8")]).toEqual([[name], "evidence"]);
    // The refusal came before any work: nothing was exported or recorded.
    expect(await countRecords()).toBe(before ?? null);
    const forced = await words(join(folder, "ledger.json"), "--force");
    expect([forced.exitCode, readdirSync(folder).toSorted()]).toEqual([
      0,
      ["ledger.json", "ledger.json.manifest"],
    ]);
    expect(readFileSync(evidence, "utf8")).not.toBe("evidence");
  });

  test("is not replaced when it appears while the export is being made, and nothing is left beside it", () => {
    const folder = createFolder();
    const target = join(folder, "ledger.json");
    const rules = { mayReplace: false, dataDir };
    const placements = [
      { source: join(dataDir, "audit.pub"), target: `${target}.manifest` },
      { source: join(dataDir, "memledger.db"), target },
    ];
    // As if it appeared between the check and the last step: the first placement makes the second one's target.
    const race = [placements[1], placements[0], { source: join(dataDir, "audit.pub"), target }];
    const present = race.filter((placement) => placement !== undefined);
    expect(() => copyOutputFiles(present, rules)).toThrow("already exists");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["a folder", () => createFolder(), "is not a regular file"],
    ["a link", () => linkTo(join(dataDir, "audit.pub")), "is not a regular file"],
    ["the database", () => join(dataDir, "memledger.db"), "is reserved for files of the data directory"],
    ["the public key", () => join(dataDir, "audit.pub"), "is reserved for files of the data directory"],
    [
      "a checkpoint",
      () => join(dataDir, "checkpoints", "x.notes"),
      "is reserved for files of the data directory",
    ],
  ])("and is %s is refused even with --force", async (_, out, message) => {
    const refused = await words(out(), "--force");
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

function linkTo(target: string): string {
  const link = join(createFolder(), "link");
  symlinkSync(target, link);
  return link;
}

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
});
