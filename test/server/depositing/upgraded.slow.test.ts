// A ledger that was written before its chains had trees, and from which records were removed: all that it has is kept, and verifies.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { cleanUp, createFolder, run, serve } from "../../cli/command.ts";
import { depositsIn, verify } from "./kept.ts";

afterAll(cleanUp);

test("a ledger of version 1 is kept from its first record on", async () => {
  const [dataDir, folder] = [join(createFolder(), "data"), createFolder()];
  cpSync(resolve(import.meta.dir, "../../upgrade/ledger-version-1"), dataDir, { recursive: true });
  chmodSync(dataDir, 0o700);
  for (const name of ["memledger.db", "audit.key"]) chmodSync(join(dataDir, name), 0o600);
  const server = await serve(dataDir, ["--keep", folder]);
  const publicKey = join(dataDir, "audit.pub");
  const isKept = async () => {
    // Its checkpoints are those of chains without a tree until one is signed after the tree was made.
    expect((await run(["audit", "checkpoint", "--data-dir", dataDir])).exitCode).toBe(0);
    if (depositsIn(folder).length < 2) return false;
    const { failure, contradiction, chains, remarks } = await verify(folder, publicKey);
    expect([failure, contradiction]).toEqual([null, null]);
    // The signing key was changed meanwhile, and says so.
    expect(remarks.filter((remark) => remark.startsWith("Chain"))).toEqual([]);
    return chains.length >= 2;
  };
  while (!(await isKept())) await Bun.sleep(100);
  await server.end("SIGTERM");
  const { verdict, failure, contradiction, chains } = await verify(dataDir, publicKey, folder);
  expect([failure, contradiction]).toEqual([null, null]);
  expect(verdict).toBe("intact");
  expect(chains.some(({ first_seq }) => (first_seq ?? 1) > 1)).toBe(true);
}, 120_000);
