// How records get to a place: in files of a limited size that follow each other, once each, also if the answer could not be stored, and with the receipts
// of the erasures whose records are in them.

import { afterAll, afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { erasuresName } from "../../../src/audit/deposit.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { verifyErasureReceipt } from "../../../src/audit/verify/receipts/erasure-receipt.ts";
import type { DepositStore } from "../../../src/calls/storage/deposit-store.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createCommandPlace } from "../../../src/server/depositing/command.ts";
import { createDepositor } from "../../../src/server/depositing/depositor.ts";
import { createFolderPlace } from "../../../src/server/depositing/folder.ts";
import type { DepositPlace } from "../../../src/server/depositing/place.ts";
import { neverAborted, openSeam, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { cleanUp, create, createFolder, sign, startWith, until } from "../attesting/witnessed.ts";
import { commandOf, depositsIn, rangesIn, verify } from "./kept.ts";

const seams: Seam[] = [];
afterEach(async () => {
  for (const seam of seams.splice(0)) await seam.close();
});
afterAll(cleanUp);

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** With `rejects` of expect, answers of other threads are not received meanwhile. */
const messageOf = (work: Promise<void>): Promise<string> =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );

/** A project whose records are signed after each of `sizes` more. */
async function openSigned(...sizes: readonly number[]) {
  const path = join(createFolder(), "memledger.db");
  const seam = await openSeam({ path });
  seams.push(seam);
  const member = await seam.project();
  let made = 0;
  const signAfter = async (count: number) => {
    for (let index = 0; index < count; index++)
      await member.create({ content: `memory ${++made}`, vector: unitVector(made) });
    await member.call("audit.checkpoint", {});
  };
  for (const size of sizes) await signAfter(size);
  const [folder, dataDir] = [createFolder(), createFolder()];
  const { deposits } = seam.store;
  const place = createFolderPlace(folder, { dataDir, store: deposits });
  const depositor = (given: DepositPlace = place, store: DepositStore = deposits) =>
    createDepositor(given, {
      ...{
        store: { deposits: store },
        dataDir,
        clock: createClock(),
        logger: silent,
        waitMs: 0,
        recordsMax: 4,
      },
    });
  const due = async (from = depositor()) => {
    const found = (await from.waiting()).find(({ project }) => project === member.id);
    if (found === undefined) throw new Error("nothing is due");
    return found;
  };
  return { folder, place, deposits, depositor, due, signAfter };
}

test("a place that lacks many records gets them in files of a limited size, which end with a checkpoint if there is one", async () => {
  const { folder, depositor, due } = await openSigned(2, 9, 1);
  const [one, checkpoint] = [depositor(), await due()];
  await one.attest(checkpoint, neverAborted);
  const ranges = rangesIn(folder, checkpoint.chain).map((range) => range.split("-").map(Number));
  expect(ranges[0]?.[0]).toBe(1);
  expect(ranges.at(-1)?.[1]).toBe(checkpoint.size);
  for (const [index, [first = 0, last = 0]] of ranges.entries()) {
    expect(last - first + 1).toBeLessThanOrEqual(4);
    expect(ranges[index + 1]?.[0] ?? last + 1).toBe(last + 1);
  }
  expect(ranges.length).toBeGreaterThan(3);
  expect((await one.waiting()).some(({ chain }) => chain === checkpoint.chain)).toBe(false);
});

test("a file whose answer could not be stored is sent again as it was, although there is a newer checkpoint", async () => {
  const { folder, deposits, depositor, due, signAfter } = await openSigned(2);
  const failing = { ...deposits, add: () => Promise.reject(new Error("the server ends")) };
  const checkpoint = await due();
  expect(await messageOf(depositor(undefined, failing).attest(checkpoint, neverAborted))).toBe(
    "the server ends",
  );
  const [sent = ""] = depositsIn(folder);
  const before = readFileSync(join(folder, sent), "utf8");
  await signAfter(1);
  const again = depositor();
  await again.attest(await due(again), neverAborted);
  const names = depositsIn(folder);
  expect(names[0]).toBe(sent);
  expect(readFileSync(join(folder, sent), "utf8")).toBe(before);
  expect(names).toHaveLength(2);
  expect(rangesIn(folder, checkpoint.chain)[1]).toStartWith(`${checkpoint.size + 1}-`);
});

test("an answer that was stored before the end is not asked for again", async () => {
  const { folder, deposits, depositor, due } = await openSigned(2);
  let sent = 0;
  const counting: DepositPlace = {
    name: folder,
    async keep() {
      sent += 1;
      return {};
    },
  };
  const ending: DepositStore = {
    ...deposits,
    async add(deposit) {
      await deposits.add(deposit);
      throw new Error("the server ends");
    },
  };
  const checkpoint = await due();
  expect(await messageOf(depositor(counting, ending).attest(checkpoint, neverAborted))).toBe(
    "the server ends",
  );
  await depositor(counting).attest(checkpoint, neverAborted);
  expect(sent).toBe(1);
});

test("a command that does not end is killed, and one that is not there is named", async () => {
  const file = join(createFolder(), "file");
  await Bun.write(file, "text");
  const spooled = { name: "a/name", path: file, bytes: 4, sha256: "" };
  const hanging = createCommandPlace("command", [commandOf("exec sleep 1000").slice("command:".length)], 300);
  await expect(hanging.keep(spooled, neverAborted)).rejects.toThrow("did not end within 0.3 seconds");
  const ending = new AbortController();
  const stopped = createCommandPlace("command", [commandOf("exec sleep 1000").slice("command:".length)]).keep(
    spooled,
    ending.signal,
  );
  ending.abort();
  await expect(stopped).rejects.toThrow();
  const missing = createCommandPlace("command", ["/nowhere/program"]);
  await expect(missing.keep(spooled, neverAborted)).rejects.toThrow(
    "The command /nowhere/program cannot be started",
  );
});

test("the receipt of an erasure is kept with its record, in a file that a restore takes", async () => {
  const folder = createFolder();
  const app = await startWith([], { keep: folder });
  await app.call("POST", "/v1/memories", {
    body: { content: "A secret.", memory_type: "fact", subject: "user:1" },
  });
  const { data } = await app.call("POST", "/v1/subjects/user%3A1/erase", { body: {} });
  await create(app);
  const origin = (await sign(app)).split("\n")[0] ?? "";
  const names = await until(app, async () => {
    const found = depositsIn(folder)
      .map(erasuresName)
      .filter((name) => name.startsWith(origin));
    const kept = found.filter((name) => Bun.file(join(folder, name)).size > 0);
    return kept.length > 0 ? kept : null;
  });
  const lines = readFileSync(join(folder, names[0] ?? ""), "utf8")
    .trim()
    .split("\n");
  expect(names).toHaveLength(1);
  expect(lines).toHaveLength(1);
  const receipt = JSON.parse(lines[0] ?? "");
  expect(receipt).toEqual(data.receipt as never);
  const keys = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim().split("\n");
  expect(verifyErasureReceipt(receipt, keys, runtimeCryptography)).toMatchObject({
    subject: receipt.subject,
  });
  expect((await verify(folder, join(app.config.dataDir, "audit.pub"))).failure).toBeNull();
});
