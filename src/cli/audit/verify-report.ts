// Binds `memledger audit verify-report`: verifies the report of a period, on any machine. Must never write a file.

import { type Command, Option } from "commander";
import { verifyReport } from "../../audit/report/verification.ts";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { readCheckpoints } from "../../audit/verify/evidence.ts";
import { createNoteReader } from "../../audit/verify/note-reader.ts";
import { UnusableInput, verdicts } from "../../audit/verify/verdict.ts";
import { bindWork, type Session } from "../command.ts";
import { createProgress } from "../progress.ts";
import type { Report, Terminal } from "../terminal.ts";
import { inputNames, readText } from "./evidence.ts";
import { readBytes } from "./evidence-files.ts";
import { toData, toText } from "./report.ts";
import { keysFor, toReport, unusableReport } from "./signed-file.ts";
import { collect, verifyPath } from "./verify.ts";

interface Against {
  readonly path: string;
  readonly checkpoints: readonly string[];
  readonly publicKey: string | null;
}

export function addVerifyReportCommand(audit: Command, session: Session): void {
  const command = audit
    .command("verify-report")
    .description(
      "Verify the report of a period: its signature, that the page shows what was signed, and what it proves. Needs no server and no network.",
    )
    .argument("<file>", "the report")
    .option("--public-key <file>", "public key of the ledger (default: audit.pub beside the report)")
    .addOption(
      new Option("--checkpoint <file>", "external checkpoint, kept outside the server; can be repeated")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--against <path>", "database, data directory or export that must still have the records");
  bindWork(
    command,
    session,
    async ({ operands, options, terminal }) => {
      const [file = ""] = operands;
      const publicKey = typeof options.publicKey === "string" ? options.publicKey : null;
      const checkpoints = Array.isArray(options.checkpoint) ? options.checkpoint.map(String) : [];
      try {
        const ledger = keysFor(file, options.publicKey, "report");
        const kept = readKept(checkpoints, ledger.keys);
        const finding = verifyReport(readBytes(file), { keys: ledger.keys, kept }, runtimeCryptography);
        session.exitCode = verdicts[finding.verdict];
        const report = toReport(finding, ledger.remarks);
        const isValid = finding.proved.length > 0;
        if (!isValid || typeof options.against !== "string") return report;
        const against = { path: options.against, checkpoints: [file, ...checkpoints], publicKey };
        return await verifyAgainst(report, against, session, terminal);
      } catch (error) {
        return unusableReport(session, error);
      }
    },
    { ignoresConfig: () => true },
  );
}

/** @throws UnusableInput */
function readKept(files: readonly string[], keys: readonly string[]) {
  const supplied = files.map((name) => ({ name, text: readText(name) }));
  const reader = createNoteReader(keys, runtimeCryptography);
  const { roots, failure } = readCheckpoints(supplied, { reader, keys }, inputNames, runtimeCryptography);
  if (failure !== null) throw new UnusableInput(`Nothing was verified: ${failure.message}.`);
  return roots;
}

/** The report is a checkpoint that was kept. What is said of the records is said of both. */
async function verifyAgainst(
  report: Report,
  { path, ...options }: Against,
  session: Session,
  terminal: Terminal,
): Promise<Report> {
  const progress = createProgress(terminal);
  const verification = await verifyPath(path, { ...options, project: null }, progress.show).finally(
    progress.clear,
  );
  const { verdict } = verification.finding;
  session.exitCode = verdicts[verdict];
  const data = {
    ...Object(report.data),
    verdict,
    exit_code: session.exitCode,
    against: toData(verification),
  };
  return { data, text: `${report.text}\n\n${toText(verification)}` };
}
