// Erasures of subjects and backups, through the command line and a real server: a backup is older than an erasure, and its receipt repeats the
// erasure in the restored directory before anybody could read it.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { requestsOf } from "../../cli/change-database.ts";
import { call, cleanUp, createFolder, type Running, run, runJson, serve } from "../../cli/command.ts";
import { everythingStored, payloadsIn } from "../../everything-stored.ts";

afterAll(cleanUp);

const made = createFolder();
const elsewhere = createFolder();
const inElsewhere = (name: string) => join(elsewhere, name);
/** Without the signing key, and with it; before and after the erasures. */
const backup = inElsewhere("first.tar.zst");
const withKey = inElsewhere("with-key.tar.zst");
const later = inElsewhere("later.tar.zst");
/** The answer as curl saves it. */
const answerFile = inElsewhere("answer.json");
const auditKey = ["--audit-key", join(made, "audit.key")];
const gone = "Gustav Zweigelt";
const goneWords = ["Zweigelt", "Kontrabassunterricht", "Alpenwanderung"];
const kept = "Berta Muskateller";
let apiKey: unknown;
let answer: JsonObject = {};
let answerOfConversation: JsonObject = {};
let youngerAnswer: JsonObject = {};

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const dataOf = (answered: JsonObject) => objectOf(answered.data);
const receiptOf = (answered: JsonObject) => objectOf(dataOf(answered).receipt);

async function ask(url: string, method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  return objectOf((await (await call(url, apiKey, path, init)).json()) as Json);
}
const createFor = (url: string, subject: string, content: string) =>
  ask(url, "POST", "/v1/memories", { subject, content, memory_type: "fact" });
const listOf = async (url: string, subject: string) =>
  dataOf(await ask(url, "GET", `/v1/memories?subject=${encodeURIComponent(subject)}`)).memories;
const erase = (url: string, subject: string, body: JsonObject = {}) =>
  ask(url, "POST", `/v1/subjects/${encodeURIComponent(subject)}/erase`, body);

beforeAll(async () => {
  const server = await serve(made);
  apiKey = server.ready.api_key;
  for (const text of ["Gustav hat Kontrabassunterricht.", "Die Alpenwanderung beginnt im Juni."])
    await createFor(server.url, gone, text);
  await createFor(server.url, kept, "Berta spielt Bratsche.");
  const search = (subject: string, query: string) =>
    ask(server.url, "POST", "/v1/memories/search", { subject, query });
  await search(gone, "Wann ist Kontrabassunterricht?");
  await search(kept, "Wer spielt Bratsche?");
  await ask(server.url, "POST", "/v1/memories/extract", {
    text: "Die Gletscherspalte ist tief.",
    conversation: "Tour",
    detail: "verbatim",
  });
  await ask(server.url, "POST", "/v1/memories/search", { query: "Was ist tief?" });
  for (const [file, ...words] of [[backup], [withKey, "--include-signing-key"]] as const)
    expect((await run(["backup", file, "--data-dir", made, ...words])).exitCode).toBe(0);
  answer = await erase(server.url, gone);
  await createFor(server.url, "younger", "It was made after the backup.");
  answerOfConversation = await ask(server.url, "POST", "/v1/memories/conversations/Tour/erase", {});
  youngerAnswer = await erase(server.url, "younger");
  await server.end("SIGTERM");
  writeFileSync(answerFile, JSON.stringify(answer));
  expect((await run(["backup", later, "--data-dir", made])).exitCode).toBe(0);
});

interface Restored {
  readonly target: string;
  readonly exitCode: number;
  readonly object: JsonObject;
  readonly erasures: readonly JsonObject[];
}

async function restore(file: string, ...words: string[]): Promise<Restored> {
  const target = join(createFolder(), "data");
  const { exitCode, object } = await runJson(["restore", file, "--data-dir", target, ...words]);
  const erasures = Array.isArray(object.erasures) ? object.erasures.map(objectOf) : [];
  return { target, exitCode, object, erasures };
}

const nothingRemains = (target: string) => {
  const stored = everythingStored(target) + payloadsIn(target);
  expect(goneWords.filter((word) => stored.includes(word))).toEqual([]);
  // What the scan reads is there.
  expect(stored).toContain("Muskateller");
};

describe("a backup that is older than an erasure", () => {
  test("has the subject again without the receipt, and says so", async () => {
    const { target, object } = await restore(backup);
    expect(object).toMatchObject({ erasures: [], erased_subjects: 0, newest_erasure: null });
    expect(everythingStored(target)).toContain("Zweigelt");
    const { stdout } = await run(["restore", backup, "--data-dir", join(createFolder(), "data")]);
    expect(stdout).toContain("exists again, unless its receipt was given with --erasures.");
  });

  test("is restored with the receipt, and no word of the subject is in any file", async () => {
    const { target, exitCode, erasures } = await restore(backup, "--erasures", answerFile, ...auditKey);
    const { project, subject } = receiptOf(answer);
    expect(exitCode).toBe(0);
    expect(erasures).toMatchObject([
      {
        source: answerFile,
        project,
        subject,
        result: "erased",
        memories: 2,
        records: dataOf(answer).records,
      },
    ]);
    nothingRemains(target);
    expect(readdirSync(target).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
    expect(readdirSync(join(target, "..")).filter((name) => name !== "data")).toEqual([]);
    expect((await run(["audit", "verify", target])).exitCode).toBe(10);

    const ownReceipt = inElsewhere("own-receipt.json");
    writeFileSync(ownReceipt, JSON.stringify(erasures[0]?.receipt, null, 2));
    const words = ["audit", "verify-receipt", ownReceipt, "--public-key", join(target, "audit.pub")];
    expect((await runJson(words)).object).toMatchObject({ valid: true, project, subject });
    const record =
      (await runJson(["audit", "verify-receipt", answerFile, ...words.slice(3)])).object.record ?? "";
    expect(requestsOf(target, "subject.repeat_erasure")).toEqual([{ project, subject, record }]);

    copyFileSync(join(made, "audit.key"), join(target, "audit.key"));
    const server = await serve(target);
    expect(await listOf(server.url, kept)).toMatchObject([{ content: "Berta spielt Bratsche." }]);
    expect(await listOf(server.url, gone)).toEqual([]);
    await pseudonymIsNew(server);
    const { stderr } = await server.end("SIGTERM");
    expect(stderr).toBe("");
    expect((await run(["audit", "verify", target])).exitCode).toBe(10);
  });

  const pseudonymIsNew = async ({ url }: Running) => {
    await createFor(url, gone, "Gustav ist wieder da.");
    const { receipt } = dataOf(await erase(url, gone));
    expect(objectOf(receipt).subject).toMatch(/^[0-9a-f]{32}$/);
    expect(objectOf(receipt).subject).not.toBe(receiptOf(answer).subject ?? "");
  };

  test("repeats the erasure of a conversation, too", async () => {
    const file = inElsewhere("conversation.json");
    writeFileSync(file, JSON.stringify(answerOfConversation));
    expect(everythingStored((await restore(withKey)).target)).toContain("Gletscherspalte");
    const { target, erasures } = await restore(withKey, "--erasures", file);
    expect(erasures).toMatchObject([
      { result: "erased", memories: 1, records: dataOf(answerOfConversation).records },
    ]);
    expect(everythingStored(target) + payloadsIn(target)).not.toMatch(/Gletscherspalte|Tour/);
    expect((await run(["audit", "verify", target])).exitCode).toBe(10);
  });

  test("takes receipts of several forms, and says what each of them did", async () => {
    const lines = inElsewhere("receipts.jsonl");
    writeFileSync(lines, `${JSON.stringify(youngerAnswer)}\n\n${JSON.stringify(receiptOf(answer))}\n`);
    const pretty = inElsewhere("pretty.json");
    writeFileSync(pretty, JSON.stringify(answer, null, 2));
    const given = ["--erasures", lines, "--erasures", pretty];
    const { target, erasures, object } = await restore(withKey, ...given);
    expect(erasures.map(({ source, result }) => [source ?? "", result ?? ""])).toEqual([
      [`${lines}, line 1,`, "absent"],
      [`${lines}, line 3,`, "erased"],
      [pretty, "absent"],
    ]);
    expect(object.needs_signing_key).toBe(false);
    nothingRemains(target);

    const again = inElsewhere("again.tar.zst");
    expect((await run(["backup", again, "--include-signing-key", "--data-dir", target])).exitCode).toBe(0);
    const repeated = await restore(again, ...given);
    expect(repeated.erasures.map(({ result }) => result ?? "")).toEqual(["absent", "absent", "absent"]);
    expect(repeated.object.erased_subjects).toBe(1);
    expect((await run(["audit", "verify", repeated.target])).exitCode).toBe(10);
  });

  test("is restored with a receipt of a later signing key, if the newer public key is given", async () => {
    const rotated = join(createFolder(), "data");
    cpSync(made, rotated, { recursive: true });
    const before = await serve(rotated);
    await createFor(before.url, "hidden", "Nobody reads it.");
    const file = inElsewhere("before-rotation.tar.zst");
    expect((await run(["backup", file, "--include-signing-key", "--data-dir", rotated])).exitCode).toBe(0);
    await before.end("SIGTERM");
    expect((await run(["audit", "rotate-key", "--yes", "--data-dir", rotated])).exitCode).toBe(0);
    const after = await serve(rotated);
    const receipt = inElsewhere("rotated.json");
    writeFileSync(receipt, JSON.stringify(await erase(after.url, "hidden")));
    await after.end("SIGTERM");
    const refused = await restore(file, "--erasures", receipt);
    expect([refused.exitCode, existsSync(refused.target)]).toEqual([1, false]);
    expect(JSON.stringify(refused.object)).toContain(
      "add --public-key FILE with the audit.pub of the server",
    );
    const publicKey = join(rotated, "audit.pub");
    const { erasures, target } = await restore(file, "--erasures", receipt, "--public-key", publicKey);
    expect(erasures).toMatchObject([{ result: "erased", memories: 1 }]);
    expect(everythingStored(target)).not.toContain("Nobody reads it.");
  });
});

test("a receipt of a signing key that was lost is repeated after the key was replaced", async () => {
  const { target } = await restore(backup);
  const words = ["--former-key-lost", "--yes", "--data-dir", target];
  expect((await run(["audit", "rotate-key", ...words])).exitCode).toBe(0);
  const again = inElsewhere("new-key.tar.zst");
  expect((await run(["backup", again, "--include-signing-key", "--data-dir", target])).exitCode).toBe(0);
  const { erasures, target: repeated } = await restore(again, "--erasures", answerFile);
  expect(erasures).toMatchObject([{ result: "erased", memories: 2 }]);
  nothingRemains(repeated);
});

test("a backup that is younger than the erasure carries it: the receipt changes nothing", async () => {
  const known = { erased_subjects: 2, newest_erasure: expect.stringMatching(/^20\d\d-.*Z$/) };
  expect((await runJson(["backup", "verify", later])).object).toMatchObject(known);
  const { object, erasures, target } = await restore(later, "--erasures", answerFile, ...auditKey);
  expect(object).toMatchObject(known);
  expect(erasures).toMatchObject([{ result: "recorded", memories: 0, records: 0 }]);
  const { stdout } = await run([
    ...["restore", later, "--erasures", answerFile, ...auditKey],
    ...["--data-dir", join(createFolder(), "data")],
  ]);
  expect(stdout).toMatch(/names 2 erased subjects, the newest of 20/);
  expect(stdout).toMatch(/erased before it was made: nothing was changed/);
  nothingRemains(target);
});

describe("nothing is restored, and nothing is left,", () => {
  const changed = (members: JsonObject): JsonObject => ({ ...receiptOf(answer), ...members });
  test.each<[string, () => string, readonly string[], RegExp]>([
    [
      "with a receipt for another subject",
      () => textOf({ subject: "0".repeat(32) }),
      auditKey,
      /is not a receipt/,
    ],
    [
      "with a receipt for another project",
      () => textOf({ project: "0".repeat(32) }),
      auditKey,
      /is not a receipt/,
    ],
    [
      "with a forged record",
      () => textOf({ payload: String(receiptOf(answer).payload).replace("erased", "Erased") }),
      auditKey,
      /its payload is not that of its entry/,
    ],
    [
      "with a receipt that was cut short",
      () => JSON.stringify(answer).slice(0, -40),
      auditKey,
      /is not JSON/,
    ],
    [
      "with an answer that has none",
      () => '{"data":{"erased":false}}',
      auditKey,
      /is not a receipt of version 1/,
    ],
    ["with a list of receipts", () => "[]", auditKey, /is not a receipt/],
    [
      "without the signing key",
      () => JSON.stringify(answer),
      [],
      /the backup does not contain it\. Give its file/,
    ],
  ])("%s", async (_, text, words, message) => {
    const file = inElsewhere("bad.json");
    writeFileSync(file, text());
    const { target, exitCode, object } = await restore(backup, "--erasures", file, ...words);
    expect([exitCode, JSON.stringify(object)]).toEqual([1, expect.stringMatching(message)]);
    expect(readdirSync(join(target, ".."))).toEqual([]);
  });
  const textOf = (members: JsonObject) => JSON.stringify(changed(members));

  test("with the receipt of another installation, or with another key", async () => {
    const other = createFolder();
    const server = await serve(other);
    const body = JSON.stringify({ content: "Of another one.", memory_type: "fact", subject: gone });
    await call(server.url, server.ready.api_key, "/v1/memories", { method: "POST", body });
    const erased = await call(
      server.url,
      server.ready.api_key,
      `/v1/subjects/${encodeURIComponent(gone)}/erase`,
      {
        method: "POST",
        body: "{}",
      },
    );
    const receipt = inElsewhere("other.json");
    writeFileSync(receipt, await erased.text());
    await server.end("SIGTERM");
    const refused = await restore(backup, "--erasures", receipt, ...auditKey);
    expect(JSON.stringify(refused.object)).toContain("its checkpoint is not signed by the public key");
    const otherKey = await restore(backup, "--erasures", answerFile, "--audit-key", join(other, "audit.key"));
    expect(JSON.stringify(otherKey.object)).toContain("audit.key has another key");
    for (const { target, exitCode } of [refused, otherKey])
      expect([exitCode, readdirSync(join(target, ".."))]).toEqual([1, []]);
    expect(readFileSync(answerFile, "utf8")).toBe(JSON.stringify(answer));
  });
});
