// A witness over HTTP: it cosigns what continues its last state, whatever comes at once, and remembers it over a restart.

import { afterEach, expect, test } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { checkSignatures } from "../../../src/audit/witness/cosignature.ts";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import type { VerifierKey } from "../../../src/audit/witness/verifier-key.ts";
import { makeLog } from "../../audit/witness/made-log.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { type RunningWitness, startWitness } from "./running-witness.ts";

const createFolder = removeFoldersAfterEach();
const running: RunningWitness[] = [];
afterEach(async () => {
  for (const witness of running.splice(0)) await witness.stop();
});

const log = makeLog("example.com/log");

async function start(folder = createFolder(), logs: readonly VerifierKey[] = [log.key]) {
  const witness = await startWitness(folder, logs);
  running.push(witness);
  return witness;
}

const timeOf = (note: string | null, keys: readonly VerifierKey[]) => {
  const checkpoint = parseSignedCheckpoint(note ?? "");
  return checkpoint === null ? [] : checkSignatures(checkpoint, keys, runtimeCryptography).valid;
};

test("cosigns a log from one size to the next, and shows what it has cosigned with both signatures", async () => {
  const witness = await start();
  expect(await witness.last(log.origin)).toBeNull();
  let size = 0;
  for (const next of [1, 1, 2, 3, 7, 8, 9, 31, 32, 33]) {
    const response = await witness.submit(log.request(size, next));
    expect(response.status).toBe(200);
    const line = await response.text();
    expect(timeOf(log.checkpoint(next) + line, [witness.key])).toHaveLength(1);
    expect(await witness.last(log.origin)).toBe(log.checkpoint(next) + line);
    size = next;
  }
  expect(timeOf(await witness.last(log.origin), [log.key, witness.key])).toHaveLength(2);
});

test("says which size it knows, also after a restart", async () => {
  const folder = createFolder();
  const first = await start(folder);
  expect((await first.submit(log.request(0, 5))).status).toBe(200);
  await first.stop();
  running.length = 0;
  const second = await start(folder);
  expect(second.key.text).toBe(first.key.text);
  const response = await second.submit(log.request(0, 9));
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    409,
    "text/x.tlog.size",
    "5\n",
  ]);
  expect((await second.submit(log.request(5, 9))).status).toBe(200);
  const old = await second.submit(log.request(5, 7));
  expect([old.status, await old.text()]).toEqual([409, "9\n"]);
});

test("of requests that continue the same state at once, it cosigns one", async () => {
  const witness = await start();
  await witness.submit(log.request(0, 5));
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => (await witness.submit(log.request(5, 6 + index))).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(19);
});

test("two processes on one folder continue each other's states", async () => {
  const folder = createFolder();
  const [one, other] = [await start(folder), await start(folder)];
  expect((await one.submit(log.request(0, 5))).status).toBe(200);
  expect(await (await other.submit(log.request(0, 6))).text()).toBe("5\n");
  expect((await other.submit(log.request(5, 6))).status).toBe(200);
  expect(await (await one.submit(log.request(5, 7))).text()).toBe("6\n");
});

test("refuses a log that was rewritten, and keeps what the log has signed in its own log", async () => {
  const witness = await start();
  await witness.submit(log.request(0, 5));
  const before = await witness.last(log.origin);
  const rewritten = makeLog(log.origin, "rewritten");
  expect((await witness.submit(rewritten.request(5, 9))).status).toBe(403);
  const request = new TextDecoder().decode(log.request(5, 9));
  const [first] = log.consistency(4, 9);
  const wrong = request.replace(log.consistency(5, 9)[0] ?? "", first ?? "");
  expect((await witness.submit(new TextEncoder().encode(wrong))).status).toBe(422);
  expect(witness.log).toEqual(["a log has signed a checkpoint that does not continue the last one"]);
  expect(await witness.last(log.origin)).toBe(before);
});

test("limits a body, and has no other pages", async () => {
  const witness = await start();
  expect((await witness.submit(new Uint8Array(200_000))).status).toBe(413);
  expect((await witness.submit(new Uint8Array())).status).toBe(400);
  for (const path of ["/", "/add-checkpoint", `/${"0".repeat(64)}/checkpoint`, "/x/checkpoint/y"])
    expect((await fetch(witness.url + path)).status).toBe(404);
  expect((await witness.submit(makeLog("example.com/other").request(0, 1))).status).toBe(404);
});

test("makes its key once, readable by its owner only, and no second one for the same states", async () => {
  const folder = createFolder();
  const witness = await start(folder);
  expect(statSync(join(folder, "witness.key")).mode & 0o777).toBe(0o600);
  expect(witness.key.name).toBe("memledger-witness");
  await expect(startWitness(folder, [log.key], "another-name")).rejects.toThrow(
    /Start the witness without --name/,
  );
  rmSync(join(folder, "witness.key"));
  await expect(startWitness(folder, [log.key])).rejects.toThrow(/Put the file back from your copy/);
});
