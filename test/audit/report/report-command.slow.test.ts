// Tests `memledger audit report` and `audit verify-report` as an operator and an auditor use them: with a server and without one, a changed key, a
// checkpoint that was kept, and a ledger that its operator has written again.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFact, createFolder, type Running, run, runJson, serve } from "../../cli/command.ts";
import { tamper } from "../tamper.ts";
import { contentOf } from "./made-reports.ts";

afterAll(cleanUp);
const folder = createFolder();
const dataDir = join(folder, "data");
const elsewhere = join(folder, "elsewhere");
const inElsewhere = (name: string) => join(elsewhere, name);
const at = ["--data-dir", dataDir];
const span = ["--from", "2001-01-01", "--to", "2099-01-01"];
const write = (name: string, ...words: string[]) =>
  runJson(["audit", "report", ...span, "--out", inElsewhere(name), ...words, ...at]);
const verify = (name: string, ...words: string[]) =>
  runJson(["audit", "verify-report", inElsewhere(name), ...words]);
let server: Running;

beforeAll(async () => {
  mkdirSync(elsewhere);
  server = await serve(dataDir);
  const key = ["key", "create", "--project", "default", "--permissions", "memory.write", ...at];
  const made = await runJson(key);
  for (const content of ["one", "two", "three"]) await createFact(server.url, made.object.key, content);
  copyFileSync(join(dataDir, "audit.pub"), inElsewhere("audit.pub"));
});

test("while a server runs, a report is written once, with the key beside it verified", async () => {
  const { exitCode, object } = await write("report.html", "--reason", "Audit 2026");
  expect([exitCode, object.chains, object.subject]).toEqual([0, 2, null]);
  const again = await write("report.html");
  expect([again.exitCode, String(again.object.error)]).not.toEqual([0, ""]);
  const verified = await verify("report.html");
  expect([verified.exitCode, verified.object.verdict]).toEqual([10, "unattested"]);
  expect(String(verified.object.remarks)).toContain("give a copy from a source that you trust");
});

test("a report that cannot be made leaves no file behind", async () => {
  const { exitCode } = await write("none.html", "--project", "none");
  expect(exitCode).not.toBe(0);
  expect(await Bun.file(inElsewhere("none.html")).exists()).toBe(false);
});

test("without a server it is the same, and says who asked and why", async () => {
  await server.end("SIGTERM");
  expect((await write("later.html", "--format", "json")).exitCode).toBe(0);
  const report = contentOf(readFileSync(inElsewhere("later.html"), "utf8"));
  expect(report.models).toMatchObject([{ use: "embedding" }, { use: "reranker" }]);
  const reports = report.administration?.records.filter(({ action }) => action === "audit.report");
  expect(reports?.map(({ reason }) => reason)).toContain("Audit 2026");
  const { stdout } = await run(["audit", "verify-report", inElsewhere("later.html")]);
  expect(stdout).toMatch(/^VALID: the ledger has signed this report\. Nobody outside has signed it\.\n/);
  expect(stdout).toMatch(/\n\nProved:\n- The key memledger\+/);
});

test("a checkpoint that was kept confirms it, and so does it confirm the database", async () => {
  const kept = inElsewhere("kept.note");
  const { checkpoint } = contentOf(readFileSync(inElsewhere("report.html"), "utf8")).chains[1] ?? {};
  writeFileSync(kept, `${checkpoint?.note}\n`);
  const withKept = await verify("report.html", "--checkpoint", kept);
  expect([withKept.exitCode, withKept.object.verdict]).toEqual([0, "intact"]);
  const against = await verify("report.html", "--against", dataDir);
  expect([against.exitCode, against.object.against]).toMatchObject([0, { verdict: "intact" }]);
});

test("after a change of the key it is verified with the previous key", async () => {
  expect((await run(["audit", "rotate-key", "--yes", ...at])).exitCode).toBe(0);
  expect((await verify("report.html", "--against", dataDir)).exitCode).toBe(0);
  await write("rotated.html");
  const changes = contentOf(readFileSync(inElsewhere("rotated.html"), "utf8")).administration?.records;
  expect(changes?.find(({ action }) => action === "audit.rotate_key")).toMatchObject({ kind: "key" });
  // audit.pub is the previous key, and there is no statement beside it.
  expect((await verify("rotated.html")).exitCode).toBe(20);
  copyFileSync(join(dataDir, "audit.rotations"), inElsewhere("audit.rotations"));
  expect((await verify("rotated.html")).exitCode).toBe(10);
});

test("a ledger that its operator has shortened contradicts it", async () => {
  const shortened = join(folder, "shortened");
  cpSync(dataDir, shortened, { recursive: true });
  tamper(join(shortened, "memledger.db"), (database) => {
    const chain = "(SELECT number FROM audit_chain WHERE project IS NOT NULL)";
    for (const sql of [
      `DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE chain = ${chain} AND seq > 2)`,
      `DELETE FROM audit_checkpoint WHERE chain = ${chain} AND size > 2`,
      `DELETE FROM audit_entry WHERE chain = ${chain} AND seq > 2`,
    ])
      database.exec(sql);
  });
  const { exitCode, object } = await verify("report.html", "--against", shortened);
  expect([exitCode, object.verdict]).toEqual([30, "contradicted"]);
});

test("what is no report, no key or no file is said", async () => {
  writeFileSync(inElsewhere("other.html"), "<p>All is well.</p>");
  expect((await verify("other.html")).exitCode).toBe(20);
  expect((await verify("absent.html")).exitCode).toBe(40);
  const { exitCode, object } = await verify("report.html", "--checkpoint", inElsewhere("other.html"));
  expect([exitCode, object.verdict]).toEqual([40, "unusable"]);
});
