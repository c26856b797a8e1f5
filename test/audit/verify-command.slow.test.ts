// Proves `memledger audit verify` as an operator and an auditor use it: beside a running server, on a copy far from it, with a changed
// byte, and with the wrong files. What is verified here was written by the product itself.

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type JsonObject, objectsIn } from "../../src/platform/json/json.ts";
import {
  call,
  cleanUp,
  createFact,
  createFolder,
  type Running,
  run,
  runJson,
  serve,
} from "../cli/command.ts";
import { tamper } from "./tamper.ts";

afterAll(cleanUp);

const python = Bun.which("python3");
const script = resolve(import.meta.dir, "../verify.py");

function askPython(...words: string[]): unknown {
  if (python === null) return null;
  const child = Bun.spawnSync([python, script, ...words]);
  return JSON.parse(child.stdout.toString()).verdict;
}

/** What the second verifier must say; nothing where it cannot run. */
const agreed = (verdict: string) => (python === null ? null : verdict);

async function append(server: Running, body: JsonObject): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(body) };
  expect((await call(server.url, server.ready.api_key, "/v1/audit/logs", init)).status).toBe(201);
}

/** A server with records of every kind. */
async function fill(server: Running): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 12; index++) {
    const created = await (
      await createFact(server.url, server.ready.api_key, `=fact ${index}, "ä" \u{1f600}`)
    ).json();
    ids.push(String((created as { data: { id: string } }).data.id));
  }
  const tokens = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  await append(server, { action: "gateway.chat", http_status: 200, tokens, model_id: "m", rag_query: ["q"] });
  await call(server.url, "ml_unknown");
  await call(server.url, server.ready.api_key, "/v1/memories/0", {
    method: "POST",
    body: '{"\\ud800": 1e400}',
  });
  await call(server.url, server.ready.api_key, "/v1/memories", {
    method: "POST",
    body: '{"content": "\\ud800"}',
  });
  return ids;
}

describe("beside a running server", () => {
  test("then on a copy, then on a forged copy", async () => {
    const [dataDir, elsewhere] = [createFolder(), createFolder()];
    const server = await serve(dataDir);
    const [first = ""] = await fill(server);
    const redacted = await runJson(["audit", "redact", "--memory", first, "--yes", "--data-dir", dataDir]);
    expect(redacted.object).toMatchObject({ redacted: 1 });

    const alone = await runJson(["audit", "verify", "--data-dir", dataDir]);
    expect([alone.exitCode, alone.object]).toMatchObject([10, { verdict: "unattested", kind: "database" }]);
    expect(alone.object.chains).toMatchObject([
      { project: null },
      { project: server.ready.project_id, without_payload: 0 },
    ]);

    const checkpoint = join(elsewhere, "kept.note");
    writeFileSync(
      checkpoint,
      (await run(["audit", "checkpoint", "--project", "default", "--data-dir", dataDir])).stdout,
    );
    const words = ["--checkpoint", checkpoint];
    const whole = await runJson(["audit", "verify", dataDir, ...words]);
    expect([whole.exitCode, whole.object.verdict]).toEqual([10, "unattested"]);
    const one = await runJson(["audit", "verify", dataDir, ...words, "--project", "default"]);
    expect([one.exitCode, one.object.verdict]).toEqual([0, "intact"]);
    expect(askPython(join(dataDir, "memledger.db"), ...words)).toBe(agreed("unattested"));
    await createFact(server.url, server.ready.api_key, "after the checkpoint");
    const later = await runJson(["audit", "verify", dataDir, ...words, "--project", "default"]);
    expect(later.object).toMatchObject({ verdict: "intact", chains: [{ failure: null }] });
    await server.end("SIGTERM");

    const copy = join(elsewhere, "copy.db");
    copyFileSync(join(dataDir, "memledger.db"), copy);
    const key = ["--public-key", join(dataDir, "audit.pub")];
    const before = snapshot(elsewhere);
    const copied = await runJson(["audit", "verify", copy, ...key, ...words, "--project", "default"]);
    expect([copied.exitCode, copied.object.verdict]).toEqual([0, "intact"]);
    expect(snapshot(elsewhere)).toEqual(before);
    const people = await run(["audit", "verify", copy, ...key, ...words, "--project", "default"]);
    expect(people.stdout).toStartWith("INTACT: ");
    expect(people.stderr).toBe("");

    forge(copy);
    const forged = await runJson(["audit", "verify", copy, ...key, ...words]);
    expect([forged.exitCode, forged.object.failure]).toMatchObject([20, { seq: 5, check: "hash" }]);
    const told = await run(["audit", "verify", copy, ...key, ...words]);
    expect(told.stdout).toContain("Record 5 of chain");
    expect(askPython(copy, ...key, ...words)).toBe(agreed("broken"));
    // The old state of the data directory is what its own notes speak against.
    const old = await runJson(["audit", "verify", copy, ...words]);
    expect(old.exitCode).toBe(40);
  });

  test("while it writes, every time", async () => {
    const dataDir = createFolder();
    const server = await serve(dataDir);
    let isWriting = true;
    const writing = (async () => {
      for (let index = 0; isWriting; index++)
        await createFact(server.url, server.ready.api_key, `fact ${index}`);
    })();
    for (let round = 0; round < 4; round++) {
      const { exitCode, object } = await runJson(["audit", "verify", dataDir]);
      expect([exitCode, object.verdict]).toEqual([10, "unattested"]);
    }
    isWriting = false;
    await writing;
    const killed = await server.end("SIGKILL");
    expect(killed.exitCode).not.toBe(0);
    const left = await runJson(["audit", "verify", dataDir]);
    expect([left.exitCode, left.object.verdict]).toEqual([10, "unattested"]);
    expect(askPython(join(dataDir, "memledger.db"))).toBe(agreed("unattested"));
  });
});

/** As programs of other systems store a text. */
const ofOtherSystems = (text: string) => [text.replaceAll("\n", "\r\n"), `\ufeff${text.trimEnd()}`];

test("a file given as a checkpoint is one, or the verdict is unusable, never broken", async () => {
  const [dataDir, elsewhere, other] = [createFolder(), createFolder(), createFolder()];
  const server = await serve(dataDir);
  await createFact(server.url, server.ready.api_key, "a fact");
  const answer = await (await call(server.url, server.ready.api_key, "/v1/audit/checkpoint")).text();
  const many = (await run(["audit", "checkpoint", "--data-dir", dataDir, "--json"])).stdout;
  const listed = await call(server.url, server.ready.api_key, "/v1/audit/logs?page_size=1");
  const [record] = objectsIn(((await listed.json()) as { data: JsonObject }).data.logs);
  const receiptFile = join(elsewhere, "record.tlog-proof");
  await run(["audit", "receipt", String(record?.id), "--data-dir", dataDir, "--out", receiptFile]);
  const receipt = readFileSync(receiptFile, "utf8");
  await server.end("SIGTERM");
  const otherServer = await serve(other);
  const foreign = (await run(["audit", "checkpoint", "--data-dir", other, "--project", "default"])).stdout;
  await otherServer.end("SIGTERM");
  const note = String((JSON.parse(answer) as { data: { note: string } }).data.note);
  const database = join(dataDir, "memledger.db");
  const verify = async (text: string, ...words: string[]) => {
    const file = join(elsewhere, "given");
    writeFileSync(file, text);
    const { object } = await runJson(["audit", "verify", database, "--checkpoint", file, ...words]);
    return { ...object, python: words.length > 0 ? null : askPython(database, "--checkpoint", file) };
  };

  const one = ["--project", "default"];
  for (const text of [note, answer, many, receipt, ...[note, receipt].flatMap(ofOtherSystems)]) {
    expect(await verify(text, ...one)).toMatchObject({ verdict: "intact" });
  }
  expect((await verify(answer)).python).toBe(agreed("unattested"));
  expect((await verify(many)).python).toBe(agreed("intact"));
  const torn = `${note}\nmemledger/0123\n— memledger torn\n`;
  expect(await verify(torn, ...one)).toMatchObject({ verdict: "intact" });
  const publicKey = readFileSync(join(dataDir, "audit.pub"), "utf8");
  for (const text of [publicKey, "hello\n", "", "{}", note.replaceAll("\n", " ")]) {
    const found = await verify(text);
    expect(found).toMatchObject({
      verdict: "unusable",
      message: expect.stringMatching(/does not contain a checkpoint.*four lines/),
    });
    expect(found.python).toBe(agreed("unusable"));
  }
  expect(await verify(publicKey)).toMatchObject({
    message: expect.stringMatching(/contains a public key: use --public-key FILE for it/),
  });

  const changed = await verify(note.replace(/\n\d+\n/, "\n999999\n"));
  expect(changed).toMatchObject({
    verdict: "broken",
    failure: { message: expect.stringMatching(/changed after it was signed/) },
  });
  const refused = await verify(foreign);
  expect(refused).toMatchObject({
    verdict: "broken",
    failure: { message: expect.stringMatching(/of another installation/) },
  });
  expect([changed.python, refused.python]).toEqual([agreed("broken"), agreed("broken")]);
  const told = await run(["audit", "verify", database, "--checkpoint", join(elsewhere, "given")]);
  expect(told.stdout).toContain("All records passed");
  expect(told.stdout).not.toContain("it may be evidence");
});

describe("exports", () => {
  test("of the product verify with both verifiers; a changed byte names its record", async () => {
    const [dataDir, elsewhere] = [createFolder(), createFolder()];
    const server = await serve(dataDir);
    const [first = ""] = await fill(server);
    await runJson(["audit", "redact", "--memory", first, "--yes", "--data-dir", dataDir]);
    const span = [
      "--project",
      "default",
      "--from",
      "2020-01-01",
      "--to",
      "2099-01-01",
      "--data-dir",
      dataDir,
    ];
    const key = ["--public-key", join(dataDir, "audit.pub")];
    for (const format of ["json", "csv"]) {
      const out = join(elsewhere, `ledger.${format}`);
      expect((await runJson(["audit", "export", ...span, "--format", format, "--out", out])).exitCode).toBe(
        0,
      );
    }
    const notes = join(elsewhere, "kept.notes");
    const folder = join(dataDir, "checkpoints");
    writeFileSync(
      notes,
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join(""),
    );
    await server.end("SIGTERM");

    for (const format of ["json", "csv"]) {
      const file = join(elsewhere, `ledger.${format}`);
      const words = [file, ...key, "--checkpoint", notes];
      const good = await runJson(["audit", "verify", ...words]);
      expect([good.exitCode, good.object]).toMatchObject([
        0,
        { verdict: "intact", kind: "export", chains: [{ without_payload: 0 }] },
      ]);
      expect(good.object.remarks).toContainEqual(expect.stringMatching(/^2 parts were erased, in 1 record/));
      expect(askPython(...words)).toBe(agreed("intact"));
      const alone = await runJson(["audit", "verify", file, ...key]);
      expect([alone.exitCode, askPython(file, ...key)]).toEqual([10, agreed("unattested")]);

      const bytes = readFileSync(file);
      const at = bytes.indexOf("fact 3") + 5;
      bytes[at] = 0x34;
      writeFileSync(file, bytes);
      const bad = await runJson(["audit", "verify", ...words]);
      expect([bad.exitCode, bad.object.failure]).toMatchObject([20, { seq: 4 }]);
      expect(askPython(...words)).toBe(agreed("broken"));
    }
  });
});

test("what cannot be judged is refused with a reason and without a stack trace", async () => {
  const folder = createFolder();
  const put = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  mkdirSync(join(folder, "empty"));
  const cases: readonly [words: readonly string[], reason: RegExp][] = [
    [[join(folder, "nothing")], /does not exist/],
    [[join(folder, "empty")], /no memledger database/],
    [[put("text.db", "hello")], /neither a memledger database nor an export/],
    [[put("export.json", "[]")], /manifest does not exist/],
    [[put("cut.db", "SQLite format 3\0")], /cannot be read as a database/],
    [[put("some.csv", ""), "--public-key", put("bad.pub", "ssh-ed25519 AAAA")], /manifest does not exist/],
  ];
  for (const [words, reason] of cases) {
    const { exitCode, stdout, stderr } = await run(["audit", "verify", ...words]);
    expect([exitCode, stderr]).toEqual([40, ""]);
    expect(stdout).toMatch(reason);
    expect(stdout).not.toMatch(/\n\s+at /);
    const json = await runJson(["audit", "verify", ...words]);
    expect(json.object).toMatchObject({ verdict: "unusable", exit_code: 40 });
  }
});

/** Names, sizes and times of all files. */
function snapshot(folder: string): unknown {
  return readdirSync(folder).map((name) => [
    name,
    statSync(join(folder, name)).mtimeMs,
    statSync(join(folder, name)).size,
  ]);
}

/** Changes one figure of one record, as if no trigger were there. */
function forge(path: string): void {
  tamper(path, (database) => {
    database.exec(
      `UPDATE audit_entry SET entry = replace(entry, '"status":201', '"status":200') WHERE chain = 2 AND seq = 5`,
    );
  });
}
