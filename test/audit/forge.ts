// Makes a folder of forged databases and exports, each with the verdict and the position that verification must report, and of honest
// ones that must pass. Run alone it writes them where it is told: bun test/audit/forge.ts FOLDER

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check, Verdict } from "../../src/audit/verify/verdict.ts";
import { forgeDatabases } from "./forge-database.ts";
import { forgeExports } from "./forge-export.ts";
import { buildLedger, type MadeLedger } from "./ledger.ts";

/** One file to verify, and what must be found. */
export interface Specimen {
  readonly name: string;
  /** Absolute, as all paths here. */
  readonly path: string;
  readonly checkpoints: readonly string[];
  readonly publicKey: string | null;
  readonly verdict: Verdict;
  /** Of the first failure, when the verdict is broken. */
  readonly seq: number | null;
  readonly check: Check | null;
}

export interface Base {
  readonly ledger: MadeLedger;
  /** Checkpoints of every chain, kept where the forger cannot reach them. */
  readonly outside: string;
  readonly publicKey: string;
}

/** `seq` of records of the first project. */
export const plan = {
  sizes: [12, 45, 25],
  anchors: { 28: 3, 29: 6 },
  redactions: { 20: [10, 12] },
  prunes: { 30: 8 },
} as const;

export function forgeAll(folder: string): Specimen[] {
  const base = buildBase(join(folder, "honest"));
  return [...forgeDatabases(base, folder), ...forgeExports(base, folder)];
}

export function buildBase(folder: string): Base {
  const ledger = buildLedger({ folder, ...plan });
  const kept = `${folder}-elsewhere`;
  mkdirSync(kept);
  const [outside, publicKey] = [join(kept, "kept.notes"), join(kept, "kept.pub")];
  const notes = ledger.chains.map((chain) => `${chain.checkpoint(chain.records.length - 5)}\n`);
  writeFileSync(outside, notes.join(""));
  writeFileSync(publicKey, `${ledger.signer.verifierKey}\n`);
  return { ledger, outside, publicKey };
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("bun test/audit/forge.ts FOLDER");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const specimens = forgeAll(folder);
  writeFileSync(join(folder, "expected.json"), `${JSON.stringify(specimens, null, 2)}\n`);
  process.stdout.write(
    `${specimens.length} files to verify in ${folder}; expected.json says what must be found\n`,
  );
}
