// Attack: backups that were forged where they are kept. With a checkpoint or the public key that the operator has kept, none is verified or
// restored unless it contains what they state.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildLedger } from "../audit/ledger.ts";
import { cleanUp, createFolder, run } from "../cli/command.ts";
import { forgedBackups, pack, type Unpacked } from "./forge-backup.ts";

afterAll(cleanUp);

const place = createFolder();
const honest = join(place, "honest");
const kept = join(place, "kept.note");
const publicKey = join(place, "kept.pub");
const file = join(place, "backup.tar.zst");
let note = "";
let names: readonly string[] = [];

beforeAll(() => {
  const ledger = buildLedger({ folder: honest, sizes: [10, 20] });
  for (const suffix of ["-wal", "-shm"]) rmSync(join(honest, `memledger.db${suffix}`), { force: true });
  note = ledger.chains.map((chain, index) => `${chain.checkpoint(index === 0 ? 10 : 20)}\n`).join("");
  writeFileSync(kept, note);
  writeFileSync(publicKey, `${ledger.signer.verifierKey}\n`);
  const notes = readdirSync(join(honest, "checkpoints")).map((name) => `checkpoints/${name}`);
  names = ["audit.pub", ...notes, "memledger.db"];
});

const copy = (): Unpacked => {
  const folder = join(createFolder(), "unpacked");
  mkdirSync(folder);
  cpSync(honest, folder, { recursive: true });
  return { folder, names };
};

test("an honest backup is verified with both, and restored", async () => {
  await pack(file, copy());
  const words = ["--checkpoint", kept, "--public-key", publicKey];
  expect((await run(["backup", "verify", file, ...words])).exitCode).toBe(0);
  expect((await run(["backup", "verify", file, "--public-key", publicKey])).exitCode).toBe(0);
  const dataDir = join(createFolder(), "restored");
  const { exitCode, stderr } = await run(["restore", file, "--data-dir", dataDir, ...words]);
  expect([exitCode, stderr]).toEqual([0, ""]);
});

test("a checkpoint of another installation is refused", async () => {
  const other = buildLedger({ folder: join(createFolder(), "other"), sizes: [10] });
  const theirs = join(place, "theirs.note");
  writeFileSync(theirs, `${other.chains[0]?.checkpoint(10)}\n`);
  await pack(file, copy());
  expect(
    (await run(["backup", "verify", file, "--checkpoint", theirs, "--public-key", publicKey])).exitCode,
  ).toBe(20);
});

test.each(forgedBackups.map((forgery) => [forgery.name, forgery] as const))(
  "%s",
  async (_, { forge, finish, codes: [withCheckpoint, withKey] }) => {
    const unpacked = copy();
    const { names: packed = unpacked.names, changes = {} } = forge(unpacked, note) ?? {};
    await pack(file, { ...unpacked, names: packed }, changes);
    finish?.(file);
    const both = ["--checkpoint", kept, "--public-key", publicKey];
    const parent = createFolder();
    const [verified, restored] = await Promise.all([
      run(["backup", "verify", file, ...both]),
      run(["restore", file, "--data-dir", join(parent, "data"), "--public-key", publicKey]),
    ]);
    expect([verified.exitCode, restored.exitCode]).toEqual([withCheckpoint, withKey]);
    expect(readdirSync(parent)).toEqual([]);
    expect(readdirSync(place).filter((name) => name.startsWith("."))).toEqual([]);
  },
);
