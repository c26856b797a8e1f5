// Proves what the cache of answers promises: what was stored is found until it is too old, is removed, or its file is not ours; and what was
// removed is in no file.

import { afterEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { traceText } from "../../../src/calls/operations/ledger/erased.ts";
import type { AnswerKey, CachedAnswer } from "../../../src/calls/storage/answer-cache.ts";
import { answerCachePath } from "../../../src/engines/sqlite/answer-cache/answer-cache.ts";
import { answerMaxBytes } from "../../../src/engines/sqlite/answer-cache/limits.ts";
import { openMember, openSeam, type Seam } from "../../calls/storage/seam.ts";

const settings = { maxAgeMs: 60_000, maxBytes: 1024 * 1024 };
const folders: string[] = [];
const opened: Seam[] = [];

afterEach(async () => {
  for (const seam of opened.splice(0)) await seam.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-answers-"));
  folders.push(folder);
  return folder;
}

async function open(path: string, options: Parameters<typeof openSeam>[0] = {}): Promise<Seam> {
  const seam = await openSeam({ path, answerCache: settings, ...options });
  opened.push(seam);
  return seam;
}

async function close(seam: Seam): Promise<void> {
  opened.splice(opened.indexOf(seam), 1);
  await seam.close();
}

function answersOf({ store: { answers } }: Pick<Seam, "store">) {
  if (answers === null) throw new Error("there is no cache");
  return answers;
}

const keyOf = (name: string, { project = "p", keyId = "k" } = {}): AnswerKey => ({
  digest: new Bun.CryptoHasher("sha256").update(name).digest("hex"),
  project,
  keyId,
});

const answerOf = (text: string): CachedAnswer => ({
  status: 200,
  headers: [["content-type", "text/event-stream"]],
  body: new TextEncoder().encode(text),
  record: "0".repeat(32),
});

const unlimited = (seam: Seam) => ({ generation: answersOf(seam).generation, maxAgeMs: null });

async function put(seam: Seam, key: AnswerKey, text: string): Promise<void> {
  await answersOf(seam).put(key, answerOf(text), unlimited(seam));
}

async function textOf(seam: Seam, key: AnswerKey): Promise<string | null> {
  const answer = await answersOf(seam).find(key);
  return answer === null ? null : new TextDecoder().decode(answer.body);
}

/** Whether any file of the cache contains the text. */
function isOnDisk(path: string, text: string): boolean {
  const folder = dirname(answerCachePath(path));
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
}

test("an answer is found byte for byte, also after a restart, and only under its key", async () => {
  const path = join(createFolder(), "memledger.db");
  const first = await open(path);
  const body = new Uint8Array(1_000).map((_, index) => index % 256);
  const answer = { ...answerOf(""), body };
  await answersOf(first).put(keyOf("a"), answer, unlimited(first));
  expect(await answersOf(first).find(keyOf("a"))).toEqual(answer);
  expect(await answersOf(first).find(keyOf("b"))).toBeNull();
  // The seal covers whose answer it is.
  expect(await answersOf(first).find(keyOf("a", { keyId: "other" }))).toBeNull();
  await put(first, keyOf("a"), "again");
  await close(first);
  const second = await open(path);
  expect(await textOf(second, keyOf("a"))).toBe("again");
});

test("an answer is not found when it is too old, and neither after the clock was set back", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await open(path);
  await put(seam, keyOf("a"), "kept as long as the settings say");
  const limits = { ...unlimited(seam), maxAgeMs: 1_000 };
  await answersOf(seam).put(keyOf("b"), answerOf("kept as long as its record"), limits);
  seam.passTime(2_000);
  expect(await textOf(seam, keyOf("a"))).not.toBeNull();
  expect(await textOf(seam, keyOf("b"))).toBeNull();
  seam.passTime(58_000);
  expect(await textOf(seam, keyOf("a"))).toBeNull();
  await put(seam, keyOf("a"), "from the future");
  await close(seam);
  expect(await textOf(await open(path), keyOf("a"))).toBeNull();
});

test("the oldest answers go when there are too many bytes, and one that is too large is not kept", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await open(path, { answerCache: { ...settings, maxBytes: 16 * 1024 * 1024 } });
  await put(seam, keyOf("large"), "x".repeat(answerMaxBytes));
  expect(await textOf(seam, keyOf("large"))).toBeNull();
  for (let n = 0; n < 20; n++) {
    seam.passTime(1);
    await put(seam, keyOf(`${n}`), `${n}`.repeat(1024 * 1024));
  }
  const found = await Promise.all(Array.from({ length: 20 }, (_, n) => answersOf(seam).find(keyOf(`${n}`))));
  expect(found[19]).not.toBeNull();
  expect(found[0]).toBeNull();
  const kept = found.filter((answer) => answer !== null);
  expect(kept.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(16 * 1024 * 1024);
  expect(kept.length).toBeGreaterThan(6);
});

test("an erasure overwrites all answers before it is answered, and none from before is stored after it", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await open(path);
  const member = await openMember(seam, (await seam.project()).id);
  const { data } = await member.call("audit.append", { action: "app.event", http_status: 200 });
  await put(seam, keyOf("a"), "the secret of Dana");
  expect(isOnDisk(path, "the secret of Dana")).toBe(true);
  const before = unlimited(seam);
  const asked = { record: String(data.id) };
  const holders = await traceText(asked, seam.store, new AbortController().signal);
  const outcome = await seam.administer("audit.redact", asked, holders);
  expect(outcome.code).toBe(1000);
  expect(isOnDisk(path, "the secret of Dana")).toBe(false);
  expect(await textOf(seam, keyOf("a"))).toBeNull();
  await answersOf(seam).put(keyOf("a"), answerOf("the secret of Dana"), before);
  expect(await textOf(seam, keyOf("a"))).toBeNull();
  expect(isOnDisk(path, "the secret of Dana")).toBe(false);
});

test("a revoked key and a deleted project take their answers with them, and no others", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await open(path);
  const [one, two] = [await seam.project(), await seam.project()];
  const ofKey = keyOf("1", { project: one.id, keyId: one.caller.key.id });
  const ofProject = keyOf("2", { project: one.id, keyId: "another key" });
  const ofOthers = keyOf("3", { project: two.id, keyId: two.caller.key.id });
  for (const key of [ofKey, ofProject, ofOthers]) await put(seam, key, `kept ${key.keyId}.`);
  await seam.administer("key.revoke", { key: one.caller.key.id });
  expect(await textOf(seam, ofKey)).toBeNull();
  expect(isOnDisk(path, `kept ${ofKey.keyId}.`)).toBe(false);
  expect(await textOf(seam, ofProject)).not.toBeNull();
  await seam.administer("project.delete", { project: one.id });
  expect(await textOf(seam, ofProject)).toBeNull();
  expect(await textOf(seam, ofOthers)).not.toBeNull();
});

test("a file that is damaged, cut off, foreign or no file is replaced, and nothing in it is believed", async () => {
  const path = join(createFolder(), "memledger.db");
  const file = answerCachePath(path);
  const first = await open(path);
  await put(first, keyOf("a"), "believed");
  await close(first);
  const good = readFileSync(file);
  const other = join(createFolder(), "memledger.db");
  await close(await open(other));

  const flipped = Buffer.from(good);
  const at = flipped.indexOf("believed");
  flipped.write("deceived", at);
  const target = join(createFolder(), "target");
  writeFileSync(target, good);
  const replacements: readonly (() => void)[] = [
    () => writeFileSync(file, flipped),
    () => writeFileSync(file, good.subarray(0, good.length / 2)),
    () => writeFileSync(file, "no database"),
    () => writeFileSync(file, Buffer.alloc(good.length, 7)),
    () => writeFileSync(`${file}-journal`, good.subarray(0, 512)),
    () => symlinkSync(target, file),
  ];
  for (const replace of replacements) {
    rmSync(file, { force: true });
    rmSync(`${file}-journal`, { force: true });
    replace();
    const seam = await open(path);
    expect(await textOf(seam, keyOf("a"))).toBeOneOf([null, "believed"]);
    await put(seam, keyOf("b"), "works");
    expect(await textOf(seam, keyOf("b"))).toBe("works");
    expect(seam.complaints).toEqual([]);
    await close(seam);
  }
  expect(readFileSync(target).equals(good)).toBe(true);

  // Of another installation: same digest, project and key, another secret.
  rmSync(answerCachePath(other), { force: true });
  rmSync(file, { force: true });
  const second = await open(other);
  await put(second, keyOf("a"), "foreign");
  await close(second);
  writeFileSync(file, readFileSync(answerCachePath(other)));
  expect(await textOf(await open(path), keyOf("a"))).toBeNull();
});

test("without the folder nothing is lost, and a folder that cannot be written is a warning", async () => {
  const path = join(createFolder(), "memledger.db");
  const first = await open(path);
  await put(first, keyOf("a"), "lost");
  await close(first);
  rmSync(dirname(answerCachePath(path)), { recursive: true });
  const second = await open(path);
  expect(await textOf(second, keyOf("a"))).toBeNull();
  await close(second);
  rmSync(join(dirname(path), "cache"), { recursive: true });
  writeFileSync(join(dirname(path), "cache"), "a file in its place");
  const third = await open(path);
  await put(third, keyOf("a"), "not stored");
  expect(await textOf(third, keyOf("a"))).toBeNull();
  expect(third.complaints.join("\n")).toContain("the answer cache cannot be used");
});

test("without a cache, a server removes the file of an earlier one", async () => {
  const path = join(createFolder(), "memledger.db");
  const first = await open(path);
  await put(first, keyOf("a"), "former");
  await close(first);
  const second = await open(path, { answerCache: null, searchThreads: 1 });
  expect(second.store.answers).toBeNull();
  expect(existsSync(answerCachePath(path))).toBe(false);
  await close(second);
});

test("the file shrinks when most of it was removed, and is readable by its owner only", async () => {
  const path = join(createFolder(), "memledger.db");
  const seam = await open(path, { answerCache: { ...settings, maxBytes: 64 * 1024 * 1024 } });
  const { id } = await seam.project();
  for (let n = 0; n < 10; n++) await put(seam, keyOf(`${n}`, { project: id }), "x".repeat(1024 * 1024));
  await seam.administer("project.delete", { project: id });
  expect(statSync(answerCachePath(path)).size).toBeLessThan(1024 * 1024);
  expect(statSync(answerCachePath(path)).mode & 0o077).toBe(0);
});
