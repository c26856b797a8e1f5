// A server and its witnesses: checkpoints are cosigned soon after they are signed, what a witness knows is continued, and a ledger that does not
// continue is refused by the witness and said to the operator.

import { afterEach, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { checkSignatures } from "../../../src/audit/witness/cosignature.ts";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import type { VerifierKey } from "../../../src/audit/witness/verifier-key.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { ledgerKeyOf, type RunningWitness, startWitness } from "../witness/running-witness.ts";

const createFolder = removeFoldersAfterEach();
const witnesses: RunningWitness[] = [];
const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) {
    app.complaints.length = 0;
    await app.stop();
  }
  for (const witness of witnesses.splice(0)) await witness.stop();
});

/** The key of the ledger exists before the server, so that the witness can be told it. */
function createLedgerKey() {
  const pem = createSigningKey();
  const file = join(createFolder(), "audit.key");
  writeFileSync(file, pem, { mode: 0o600 });
  return { file, text: createSigner(pem).verifierKey };
}

async function startWitnessOf(key: VerifierKey, name: string, folder = createFolder()) {
  const witness = await startWitness(folder, [key], name);
  witnesses.push(witness);
  return witness;
}

async function startWith(settings: readonly string[], flags: Readonly<Record<string, string>> = {}) {
  const app = await startTestApp({ witness: settings.join(","), ...flags });
  apps.push(app);
  return app;
}

let made = 0;
const create = (app: TestApp) =>
  app.call("POST", "/v1/memories", { body: { content: `Fact number ${++made}.`, memory_type: "fact" } });
const sign = async (app: TestApp) => String((await app.call("GET", "/v1/audit/checkpoint")).data.note);
const newest = async (app: TestApp) => {
  const { data } = await app.call("GET", "/v1/audit/checkpoints?page_size=1");
  const [first] = Array.isArray(data.checkpoints) ? data.checkpoints : [];
  return String((first as { note?: unknown } | undefined)?.note);
};
const signersOf = (note: string, keys: readonly VerifierKey[]) => {
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === null) throw new Error(`malformed: ${note}`);
  const { valid, invalid } = checkSignatures(checkpoint, keys, runtimeCryptography);
  return { valid: valid.map(({ key }) => key.name).toSorted(), invalid: invalid.length };
};

async function until<Result>(app: TestApp, read: () => Promise<Result | null>): Promise<Result> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await read();
    if (found !== null) return found;
    app.passTime(11_000);
    await Bun.sleep(50);
  }
  throw new Error(`nothing happened: ${app.complaints.join("\n")}`);
}

const cosigned = (app: TestApp, keys: readonly VerifierKey[]) =>
  until(app, async () => {
    const note = await newest(app);
    return signersOf(note, keys).valid.length === keys.length ? note : null;
  });

test("checkpoints are cosigned by every witness, and given out with the cosignatures", async () => {
  const { file, text } = createLedgerKey();
  const key = ledgerKeyOf(writeKey(text));
  const [one, two] = [await startWitnessOf(key, "one"), await startWitnessOf(key, "two")];
  const app = await startWith([one.setting, two.setting], { "audit-key": file });
  const keys = [one.key, two.key];
  for (let round = 0; round < 4; round++) {
    for (let count = 0; count < 3; count++) await create(app);
    const note = await sign(app);
    const given = await cosigned(app, keys);
    expect(given.startsWith(note)).toBe(true);
    expect(signersOf(given, [key, ...keys])).toEqual({ valid: ["memledger", "one", "two"], invalid: 0 });
    const { origin } = parseSignedCheckpoint(note) ?? { origin: "" };
    expect((await one.last(origin))?.startsWith(note)).toBe(true);
  }
  const { data: logs } = await app.call("GET", "/v1/audit/logs?page_size=100");
  const oldest = Array.isArray(logs.logs) ? logs.logs.at(-1) : null;
  const { data } = await app.call("GET", `/v1/audit/logs/${(oldest as { id: string }).id}/proof`);
  expect(signersOf(String(data.checkpoint), keys).valid).toEqual(["one", "two"]);
  expect(app.complaints).toEqual([]);
});

/** A folder with the public key of a ledger. */
function writeKey(text: string): string {
  const folder = createFolder();
  writeFileSync(join(folder, "audit.pub"), `${text}\n`);
  return folder;
}

test("a witness that knows more than the server remembers is continued from there", async () => {
  const { file, text } = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(text)), "knows-more");
  const app = await startWith([witness.setting], { "audit-key": file });
  for (let count = 0; count < 5; count++) await create(app);
  await sign(app);
  await cosigned(app, [witness.key]);
  await app.restart(() => {
    const database = openDatabase(join(app.config.dataDir, "memledger.db"), runtime);
    expect(database.prepare("DELETE FROM audit_attestation").run().changes).toBeGreaterThan(0);
    database.close();
  });
  await create(app);
  const note = await sign(app);
  expect((await cosigned(app, [witness.key])).startsWith(note)).toBe(true);
  expect([app.complaints, witness.log]).toEqual([[], []]);
});

test("a witness that does not know the ledger is named once, with what to do", async () => {
  const foreign = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(foreign.text)), "foreign");
  const app = await startWith([witness.setting], { "metrics-port": "0" });
  await create(app);
  await sign(app);
  const refused = await until(app, async () => (app.complaints.length > 1 ? app.complaints : null));
  expect(refused.every((line) => line.includes("Give the operator of the witness audit.pub"))).toBe(true);
  app.passTime(11_000);
  await Bun.sleep(300);
  // One for each chain.
  expect(app.complaints).toHaveLength(2);
  const metrics = await (await fetch(app.metricsUrl ?? "")).text();
  expect(metrics).toContain('memledger_attestations_waiting{kind="cosignature",party="foreign"} 2');
  expect(metrics).toMatch(/memledger_attestations_oldest_waiting_timestamp_seconds\{.*\} \d{10}/);
});

test("a witness that does not answer delays no call, and gets the newest checkpoint when it is there again", async () => {
  const { file, text } = createLedgerKey();
  const [key, folder] = [ledgerKeyOf(writeKey(text)), createFolder()];
  const first = await startWitness(folder, [key], "restarted");
  const port = new URL(first.url).port;
  await first.stop();
  const app = await startWith([first.setting], { "audit-key": file });
  await create(app);
  expect((await create(app)).status).toBe(201);
  await sign(app);
  await until(app, async () => (app.complaints.length > 0 ? true : null));
  expect(app.complaints[0]).toContain("checkpoints cannot be attested now");
  const again = await startWitness(folder, [key], null, Number(port));
  witnesses.push(again);
  await cosigned(app, [again.key]);
  expect(app.complaints).toHaveLength(1);
});

test("a ledger that was put back and continued in another way is refused by the witness, and the operator is told", async () => {
  const { file, text } = createLedgerKey();
  const witness = await startWitnessOf(ledgerKeyOf(writeKey(text)), "strict");
  const app = await startWith([witness.setting], { "audit-key": file });
  const { dataDir } = app.config;
  const copy = join(createFolder(), "copy");
  await create(app);
  await app.restart(() => cpSync(dataDir, copy, { recursive: true }));
  for (let count = 0; count < 4; count++) await create(app);
  const { origin } = parseSignedCheckpoint(await sign(app)) ?? { origin: "" };
  await cosigned(app, [witness.key]);
  const seen = await witness.last(origin);
  await app.restart(() => {
    rmSync(dataDir, { recursive: true });
    cpSync(copy, dataDir, { recursive: true });
  });
  for (let count = 0; count < 20; count++) await create(app);
  await sign(app);
  const refused = await until(
    app,
    async () => app.complaints.find((line) => line.includes(origin.split("/")[1] ?? "-")) ?? null,
  );
  expect(refused).toContain("run memledger audit verify --checkpoint FILE");
  expect(await witness.last(origin)).toBe(seen);
  expect(readFileSync(join(dataDir, "audit.pub"), "utf8")).toContain(text);
});
