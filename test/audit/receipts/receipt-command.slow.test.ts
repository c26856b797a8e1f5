// Tests `memledger audit receipt` and `audit verify-receipt` as an operator and an auditor use them: a database of an earlier format, whose
// records are of version 1, a key that was changed, files that exist, and what is no receipt.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import canonicalize from "canonicalize";
import { objectsIn } from "../../../src/platform/json/json.ts";
import { cleanUp, createFolder, run, runJson, serve } from "../../cli/command.ts";
import { testWith } from "../../needs.ts";
import { copyKept, keptFormats } from "../../upgrade/kept-formats.ts";
import { lacking } from "./ask-receipt.ts";
import { witness } from "./made-receipts.ts";

afterAll(cleanUp);
const folder = createFolder();
const dataDir = join(folder, "data");
const elsewhere = join(folder, "elsewhere");
const inElsewhere = (name: string) => join(elsewhere, name);
const kept = keptFormats.find(({ format }) => format === 7);
if (kept === undefined) throw new Error("there is no data directory of format 7");
const at = ["--data-dir", dataDir];
const receipt = (record: string, ...words: string[]) => run(["audit", "receipt", record, ...words, ...at]);
const verify = (file: string, ...words: string[]) => runJson(["audit", "verify-receipt", file, ...words]);
let records: readonly string[] = [];

beforeAll(async () => {
  mkdirSync(elsewhere);
  copyKept(kept, dataDir);
  // Moves it over, and signs a checkpoint of each tree.
  const server = await serve(dataDir);
  await server.end("SIGTERM");
  copyFileSync(join(dataDir, "audit.pub"), inElsewhere("audit.pub"));
  const words = ["audit", "list", "--project", "default", "--action", "memory.create", "--json", ...at];
  records = objectsIn((await runJson(words)).object.logs).map(({ id }) => String(id));
});

test("a record of version 1 has a receipt, which is verified with the key beside it", async () => {
  const file = inElsewhere("old.tlog-proof");
  const written = await receipt(records.at(-1) ?? "", "--out", file);
  expect([written.exitCode, existsSync(file)]).toEqual([0, true]);
  const { exitCode, object } = await verify(file);
  expect([exitCode, object.verdict, object.action]).toEqual([10, "unattested", "memory.create"]);
  expect(JSON.stringify(object.contents)).toContain(kept.fact);
  expect(String(object.remarks)).toContain("give a copy from a source that you trust");
  const { stdout } = await run(["audit", "verify-receipt", file]);
  expect(stdout).toMatch(/^VALID: .*Nobody outside has signed it\.\n/);
  expect(stdout).toMatch(/\n\nProved:\n- Record \d/);
  expect(stdout).toMatch(/\n\nNot proved:\n- When the record was made/);
});

testWith(lacking)("the script of the documentation verifies the same file", () => {
  const script = resolve(import.meta.dir, "../../../docs/verify-receipt.py");
  const words = ["python3", script, inElsewhere("audit.pub"), inElsewhere("old.tlog-proof")];
  const { exitCode, stdout } = Bun.spawnSync(words);
  expect([exitCode, stdout.toString().startsWith("VALID: ")]).toEqual([10, true]);
});

testWith(lacking)("the script hands a time stamp and its checkpoint to openssl", () => {
  const stamped = inElsewhere("stamped.tlog-proof");
  const text = readFileSync(inElsewhere("old.tlog-proof"), "utf8");
  const [, encoded = ""] = /^extra (.*)$/m.exec(text) ?? [];
  const extra = JSON.parse(Buffer.from(encoded, "base64").toString());
  const timestamp = Buffer.from("a token").toString("base64");
  const changed = Buffer.from(canonicalize({ ...extra, timestamp }) ?? "").toString("base64");
  writeFileSync(stamped, text.replace(encoded, changed));
  const script = resolve(import.meta.dir, "../../../docs/verify-receipt.py");
  const words = ["python3", script, inElsewhere("audit.pub"), stamped, "--extract"];
  expect(Bun.spawnSync(words).exitCode).toBe(10);
  expect(readFileSync(`${stamped}.token`, "utf8")).toBe("a token");
  expect(text).toContain(`\n\n${readFileSync(`${stamped}.checkpoint`, "utf8")}\n`);
});

test("it is printed, and without the payload it has no words", async () => {
  const { stdout } = await receipt(records[0] ?? "", "--no-payload");
  writeFileSync(inElsewhere("printed.tlog-proof"), stdout);
  const { object } = await verify(inElsewhere("printed.tlog-proof"));
  expect([object.valid, object.payload, object.contents]).toEqual([true, "not in the receipt", undefined]);
});

test("a file that exists stays, unless it is forced", async () => {
  const file = inElsewhere("kept.tlog-proof");
  writeFileSync(file, "mine");
  const refused = await receipt(records[0] ?? "", "--out", file);
  expect([refused.exitCode, readFileSync(file, "utf8")]).toEqual([1, "mine"]);
  expect(refused.stderr).toContain("add --force");
  expect((await receipt(records[0] ?? "", "--out", file, "--force")).exitCode).toBe(0);
  expect((await verify(file)).object.valid).toBe(true);
  const unknown = await receipt("0".repeat(32), "--out", inElsewhere("none.tlog-proof"));
  expect([unknown.exitCode, existsSync(inElsewhere("none.tlog-proof"))]).toEqual([1, false]);
});

test("after a change of the key, a receipt needs the new key, or the statement of the change", async () => {
  const before = readFileSync(inElsewhere("audit.pub"), "utf8");
  expect((await run(["audit", "rotate-key", "--yes", ...at])).exitCode).toBe(0);
  await run(["project", "create", "--name", "one more", ...at]);
  const newest = await runJson(["audit", "list", "--json", "--action", "project.create", ...at]);
  const [record] = objectsIn(newest.object.logs);
  const file = inElsewhere("rotated.tlog-proof");
  expect((await receipt(String(record?.id), "--out", file)).exitCode).toBe(0);
  const refused = await verify(file);
  expect([refused.exitCode, refused.object.reason]).toEqual([
    20,
    "its checkpoint is not signed by the public key.",
  ]);
  copyFileSync(join(dataDir, "audit.rotations"), inElsewhere("audit.rotations"));
  const accepted = await verify(file);
  expect([accepted.exitCode, accepted.object.project]).toEqual([10, null]);
  expect(String(accepted.object.remarks)).toContain("The previous key has signed the change.");
  rmSync(inElsewhere("audit.rotations"));
  expect((await verify(file, "--public-key", join(dataDir, "audit.pub"))).exitCode).toBe(10);
  // The previous one still verifies what it has signed.
  expect([(await verify(inElsewhere("old.tlog-proof"))).exitCode, before.split("\n").length]).toEqual([
    10, 2,
  ]);
});

describe("with a witness", () => {
  test("it is attested, if the key of the witness is given", async () => {
    const text = readFileSync(inElsewhere("old.tlog-proof"), "utf8");
    const end = text.indexOf("\n\n") + 2;
    const file = inElsewhere("witnessed.tlog-proof");
    writeFileSync(file, text.slice(0, end) + witness.cosign(text.slice(end), 1_795_000_000));
    const given = await verify(file, "--witness-key", witness.verifierKey);
    expect([given.exitCode, given.object.verdict]).toEqual([0, "intact"]);
    expect(String(given.object.proved)).toContain("The witness witness.example/w1 had this checkpoint");
    const missing = await verify(file);
    expect([missing.exitCode, String(missing.object.not_proved)]).toEqual([
      10,
      expect.stringContaining("signatures of witness.example/w1, which were not checked"),
    ]);
    expect((await verify(file, "--witness-key", "nobody")).exitCode).toBe(40);
  });
});

describe("what is no receipt", () => {
  test.each([
    ["a text", "hello", 20],
    ["nothing", "", 20],
    ["a key", "memledger+00000000+AAAA", 20],
    ["other JSON", "{}", 20],
  ] as const)("%s", async (_, text, expected) => {
    const file = inElsewhere("other");
    writeFileSync(file, text);
    const { exitCode, object } = await verify(file);
    expect([exitCode, object.valid]).toEqual([expected, false]);
  });

  test("a file that does not exist, and one without a key", async () => {
    expect((await verify(inElsewhere("nowhere"))).exitCode).toBe(40);
    copyFileSync(inElsewhere("old.tlog-proof"), join(folder, "alone.tlog-proof"));
    const { exitCode, object } = await verify(join(folder, "alone.tlog-proof"));
    expect([exitCode, object.reason]).toEqual([
      40,
      "No public key was given or found. Add --public-key FILE.",
    ]);
  });
});
