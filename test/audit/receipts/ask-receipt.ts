// Asks both verifiers about receipts: ours, and docs/verify-receipt.py. Must never decide which one is right.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import type { Cryptography } from "../../../src/audit/verify/cryptography.ts";
import { parseWitnessKey } from "../../../src/audit/verify/receipts/record-receipt.ts";
import { type ReceiptReport, reportReceipt } from "../../../src/audit/verify/receipts/report.ts";
import { verdicts } from "../../../src/audit/verify/verdict.ts";
import type { Policy } from "../../../src/audit/witness/policy.ts";
import { ledgerKey, nextKey, witness } from "./made-receipts.ts";

export const publicKeys = [ledgerKey.verifierKey, nextKey.verifierKey];
const script = resolve(import.meta.dir, "../../../docs/verify-receipt.py");
export const lacking =
  Bun.which("python3") === null
    ? "python3 is not installed"
    : Bun.which("openssl") === null
      ? "openssl is not installed"
      : null;

export function reportOf(
  file: string | Uint8Array,
  ledger: readonly string[] = publicKeys,
  witnessKeys: readonly string[] = [witness.verifierKey],
  cryptography: Cryptography = runtimeCryptography,
  policy: Policy | null = null,
): ReceiptReport {
  const witnesses = witnessKeys
    .map((key) => parseWitnessKey(key, cryptography))
    .filter((key) => key !== null);
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const trust = { ledger, witnesses, policy, witnessOption: "--witness-key VKEY" };
  return reportReceipt(bytes, trust, cryptography);
}

/** The exit code of `audit verify-receipt` for each file. */
export function askOurs(files: readonly Uint8Array[]): number[] {
  return files.map((file) => verdicts[reportOf(file).verdict]);
}

/** What the script says of each file, as such a code. */
export function askPython(files: readonly Uint8Array[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), "memledger-receipts-"));
  const key = join(folder, "audit.pub");
  writeFileSync(key, publicKeys.map((one) => `${one}\n`).join(""));
  const paths = files.map((file, index) => {
    const path = join(folder, `${index}.tlog-proof`);
    writeFileSync(path, file);
    return path;
  });
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    ...["python3", script, key, ...paths],
    ...["--witness-key", witness.verifierKey],
  ]);
  rmSync(folder, { recursive: true });
  const codes = stdout
    .toString()
    .split("\n")
    .flatMap((line) =>
      /^NOT VALID: /.test(line) ? [20] : /^VALID: /.test(line) ? [line.includes(" had it at ") ? 0 : 10] : [],
    );
  if (codes.length !== files.length || exitCode !== Math.max(...codes))
    throw new Error(`${codes.length} answers, exit code ${exitCode}: ${stderr.toString()}`);
  return codes;
}
