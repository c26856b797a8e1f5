// Binds `memledger audit verify-receipt`: verifies the receipt of a record or of an erasure, on any machine. Must never write a file.

import { type Command, Option } from "commander";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { parseWitnessKey } from "../../audit/verify/receipts/record-receipt.ts";
import { type ReceiptReport, reportReceipt, withTimeStamp } from "../../audit/verify/receipts/report.ts";
import { UnusableInput, verdicts } from "../../audit/verify/verdict.ts";
import { type Policy, readPolicy } from "../../audit/witness/policy.ts";
import type { VerifierKey } from "../../audit/witness/verifier-key.ts";
import { settings } from "../../server/config/settings.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { readText } from "./evidence.ts";
import { readBytes } from "./evidence-files.ts";
import { keysFor, toReport, unusableReport } from "./signed-file.ts";
import { readRoots } from "./stamped-checkpoints.ts";
import { collect } from "./verify.ts";

const witnessOption = "--witness-key VKEY";

export function addVerifyReceiptCommand(audit: Command, session: Session): void {
  const command = audit
    .command("verify-receipt")
    .description(
      "Verify the receipt of a record or of an erasure, and say what it proves and what it does not. Needs no server and no network.",
    )
    .argument("<file>", "the receipt, or the answer that has the receipt of an erasure")
    .option("--public-key <file>", "public key of the ledger (default: audit.pub beside the receipt)")
    .addOption(
      new Option("--witness-key <vkey>", "verifier key of a witness that you trust; can be repeated")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--policy <file>", "which witnesses suffice, as C2SP tlog-policy (default: any that is given)");
  addSettings(command, [settings.timestampRoots]);
  bindWork(
    command,
    session,
    async ({ config, operands, options }) => {
      const [file = ""] = operands;
      try {
        const ledger = keysFor(file, options.publicKey, "receipt");
        const policy = typeof options.policy === "string" ? policyIn(options.policy) : null;
        const ofPolicy = policy?.witnesses.map(({ key }) => key) ?? [];
        const witnesses = [...ofPolicy, ...witnessesIn(options.witnessKey)];
        const trust = { ledger: ledger.keys, witnesses, policy, witnessOption };
        const found = reportReceipt(readBytes(file), trust, runtimeCryptography);
        const report = await withStamp(found, config.timestampRoots);
        session.exitCode = verdicts[report.verdict];
        return toReport(report, ledger.remarks);
      } catch (error) {
        return unusableReport(session, error);
      }
    },
    { ignoresConfig: () => true },
  );
}

/** @throws UnusableInput */
async function withStamp(report: ReceiptReport, path: string | null): Promise<ReceiptReport> {
  const roots = await readRoots(path);
  if (report.stamped === null) return report;
  const { token, text } = report.stamped;
  const { verifyToken } = await import("../../audit/timestamp/token.ts");
  return withTimeStamp(report, await verifyToken(token, text, { request: null, roots }));
}

/** @throws UnusableInput */
function witnessesIn(given: unknown): readonly VerifierKey[] {
  return (Array.isArray(given) ? given.map(String) : []).map((text) => {
    const key = parseWitnessKey(text, runtimeCryptography);
    if (key !== null) return key;
    throw new UnusableInput(`"${text}" is not the verifier key of a witness. Correct --witness-key.`);
  });
}

/** @throws UnusableInput */
function policyIn(path: string): Policy {
  return readPolicy(readText(path), path, runtimeCryptography);
}
