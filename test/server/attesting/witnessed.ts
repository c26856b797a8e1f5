// A server with witnesses, for tests of both. Must never stand in for a part of the product.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { checkSignatures } from "../../../src/audit/witness/cosignature.ts";
import { parseSignedCheckpoint } from "../../../src/audit/witness/signed-checkpoint.ts";
import type { VerifierKey } from "../../../src/audit/witness/verifier-key.ts";
import { signCheckpoints } from "../../../src/calls/operations/ledger/checkpoint-operations.ts";
import { isObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { type RunningWitness, startWitness } from "../witness/running-witness.ts";

const folders: string[] = [];
const witnesses: RunningWitness[] = [];
const apps: TestApp[] = [];

/** Stops what a test has started, and removes its folders: call it after each. */
export async function cleanUp(): Promise<void> {
  for (const app of apps.splice(0)) {
    app.complaints.length = 0;
    await app.stop();
  }
  for (const witness of witnesses.splice(0)) await witness.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-witness-"));
  folders.push(folder);
  return folder;
}

/** The key of the ledger exists before the server, so that the witness can be told it. */
export function createLedgerKey() {
  const pem = createSigningKey();
  const file = join(createFolder(), "audit.key");
  writeFileSync(file, pem, { mode: 0o600 });
  return { file, text: createSigner(pem).verifierKey };
}

export async function startWitnessOf(
  key: VerifierKey,
  name: string | null,
  folder = createFolder(),
  port = 0,
) {
  const witness = await startWitness(folder, [key], name, port);
  witnesses.push(witness);
  return witness;
}

export async function startWith(settings: readonly string[], flags: Readonly<Record<string, string>> = {}) {
  const app = await startTestApp({
    ...(settings.length === 0 ? {} : { witness: settings.join(",") }),
    ...flags,
  });
  apps.push(app);
  return app;
}

let made = 0;
export const create = (app: TestApp) =>
  app.call("POST", "/v1/memories", { body: { content: `Fact number ${++made}.`, memory_type: "fact" } });
export const sign = async (app: TestApp) => String((await app.call("GET", "/v1/audit/checkpoint")).data.note);
export const newest = async (app: TestApp) => {
  const { data } = await app.call("GET", "/v1/audit/checkpoints?page_size=1");
  const [first] = Array.isArray(data.checkpoints) ? data.checkpoints : [];
  return String((first as { note?: unknown } | undefined)?.note);
};
export const signersOf = (note: string, keys: readonly VerifierKey[]) => {
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === null) throw new Error(`malformed: ${note}`);
  const { valid, invalid } = checkSignatures(checkpoint, keys, runtimeCryptography);
  return { valid: valid.map(({ key }) => key.name).toSorted(), invalid: invalid.length };
};

export async function until<Result>(app: TestApp, read: () => Promise<Result | null>): Promise<Result> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await read();
    if (found !== null) return found;
    app.passTime(11_000);
    await Bun.sleep(50);
  }
  throw new Error(`nothing happened: ${app.complaints.join("\n")}`);
}

export const cosigned = (app: TestApp, keys: readonly VerifierKey[]) =>
  until(app, async () => {
    const note = await newest(app);
    return signersOf(note, keys).valid.length === keys.length ? note : null;
  });

/** Signs a checkpoint of every chain, and waits until all of these witnesses have cosigned them. */
export async function witnessAll(app: TestApp, asked: readonly RunningWitness[]): Promise<void> {
  const { checkpoints } = await app.administer(signCheckpoints, {});
  const notes = (Array.isArray(checkpoints) ? checkpoints : []).map((each) =>
    isObject(each) ? String(each.note) : "",
  );
  for (const note of notes)
    for (const witness of asked)
      await until(app, async () => {
        const last = await witness.last(note.slice(0, note.indexOf("\n")));
        return last?.startsWith(note) || null;
      });
}

/** A folder with the public key of a ledger. */
export function writeKey(text: string): string {
  const folder = createFolder();
  writeFileSync(join(folder, "audit.pub"), `${text}\n`);
  return folder;
}
