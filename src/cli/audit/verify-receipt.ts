// Binds `memledger audit verify-receipt`: verifies the receipt of a record or of an erasure, on any machine. Must never write a file.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { acceptKeys } from "../../audit/verify/evidence.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { readKeys } from "../../audit/verify/note-reader.ts";
import { parseWitnessKey } from "../../audit/verify/receipts/record-receipt.ts";
import { type ReceiptReport, reportReceipt, withTimeStamp } from "../../audit/verify/receipts/report.ts";
import { UnusableInput, verdicts } from "../../audit/verify/verdict.ts";
import { type Policy, readPolicy } from "../../audit/witness/policy.ts";
import type { VerifierKey } from "../../audit/witness/verifier-key.ts";
import { toPrintableLine } from "../../platform/text/printable.ts";
import { settings } from "../../server/config/settings.ts";
import { rotationsPath } from "../../server/ledger/ledger-rotation.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { list, type Report } from "../terminal.ts";
import { inputNames, readText } from "./evidence.ts";
import { readBytes } from "./evidence-files.ts";
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
        const ledger = keysFor(file, options.publicKey);
        const policy = typeof options.policy === "string" ? policyIn(options.policy) : null;
        const ofPolicy = policy?.witnesses.map(({ key }) => key) ?? [];
        const witnesses = [...ofPolicy, ...witnessesIn(options.witnessKey)];
        const trust = { ledger: ledger.keys, witnesses, policy, witnessOption };
        const found = reportReceipt(readBytes(file), trust, runtimeCryptography);
        const report = await withStamp(found, config.timestampRoots);
        session.exitCode = verdicts[report.verdict];
        return toReport(report, ledger.remarks);
      } catch (error) {
        if (!(error instanceof UnusableInput)) throw error;
        session.exitCode = verdicts.unusable;
        const data = {
          valid: false,
          verdict: "unusable",
          exit_code: session.exitCode,
          reason: error.message,
        };
        return { data, text: `UNUSABLE: ${error.message}` };
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

interface LedgerKeys {
  readonly keys: readonly string[];
  readonly remarks: readonly string[];
}

/** The public keys of the ledger, and their successors if audit.rotations is beside the receipt or the key. @throws UnusableInput */
function keysFor(file: string, publicKey: unknown): LedgerKeys {
  const beside = join(dirname(file), "audit.pub");
  const given = typeof publicKey === "string" ? publicKey : beside;
  if (publicKey === undefined && !existsSync(beside))
    throw new UnusableInput("No public key was given or found. Add --public-key FILE.");
  const keys = readKeys(readText(given), given, runtimeCryptography);
  const rotations = [file, given]
    .map((path) => rotationsPath(dirname(path)))
    .find((path) => existsSync(path));
  const statements = rotations === undefined ? [] : splitNotes(readText(rotations));
  const accepted = acceptKeys(keys, statements, inputNames, runtimeCryptography);
  const isBeside = publicKey === undefined;
  return { keys: accepted.keys, remarks: [...(isBeside ? [besideRemark(beside)] : []), ...accepted.remarks] };
}

function besideRemark(path: string): string {
  return `The public key was read from ${path}. Whoever made the receipt can have put it there: give a copy from a source that you trust with --public-key FILE.`;
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

function toReport(
  { verdict, headline, proved, notProved, facts, payload }: ReceiptReport,
  remarks: readonly string[],
): Report {
  const data = {
    valid: verdict !== "broken",
    verdict,
    exit_code: verdicts[verdict],
    ...(verdict === "broken" ? { reason: headline.replace(/^NOT VALID: /, "") } : {}),
    ...facts,
    ...(payload === null ? {} : { contents: payload }),
    proved,
    not_proved: notProved,
    remarks,
  };
  const parts = [
    headline,
    ...(proved.length === 0
      ? []
      : [list(facts), section("Proved:", proved), section("Not proved:", notProved)]),
    ...(payload === null ? [] : [`Contents:\n${toPrintableLine(JSON.stringify(payload))}`]),
    ...remarks,
  ];
  return { data, text: parts.join("\n\n") };
}

/** Names in it are from the file. */
function section(title: string, sentences: readonly string[]): string {
  return [title, ...sentences.map((sentence) => `- ${toPrintableLine(sentence)}`)].join("\n");
}
