// Binds `memledger audit verify`: verifies a database or an export, on any machine, without a server, a network or a data directory.
// Must never write a file.

import { type Command, Option } from "commander";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { verifyDeposits } from "../../audit/verify/deposits/verification.ts";
import { verifyExport } from "../../audit/verify/export/verification.ts";
import { type Report as Finding, UnusableInput, verdicts } from "../../audit/verify/verdict.ts";
import { ledgerVerifier } from "../../engines/engines.ts";
import { settings } from "../../server/config/settings.ts";
import { addSettings, bindWork, type Session, type Work } from "../command.ts";
import { createProgress } from "../progress.ts";
import type { Report } from "../terminal.ts";
import { checkpointsIn, compareWithDeposits, findDeposits, requireDeposits } from "./deposits.ts";
import {
  type Evidence,
  findSubject,
  gatherEvidence,
  readText,
  requireRegular,
  type Subject,
} from "./evidence.ts";
import { toData, toText, type Verification } from "./report.ts";
import { readRoots, type StampedCheckpoint, stampsIn, verifyStamps } from "./stamped-checkpoints.ts";

export function addVerifyCommand(audit: Command, session: Session): void {
  const command = audit
    .command("verify")
    .description(
      "Verify a database, a data directory, an export or what was kept elsewhere. Writes no file. Needs no server and no network.",
    )
    .argument(
      "[path]",
      "database, data directory, export or folder of kept records (default: the data directory)",
    )
    .addOption(
      new Option("--checkpoint <file>", "external checkpoint, kept outside the server; can be repeated")
        .argParser(collect)
        .default([], "none"),
    )
    .option(
      "--public-key <file>",
      "public key of the ledger (default: audit.pub beside the database or export)",
    )
    .option(
      "--kept <folder>",
      "records that were kept elsewhere (keep), with which those of the database are compared",
    )
    .option(
      "--policy <file>",
      "which witnesses must have signed, and how many (C2SP tlog-policy): only what they have signed counts as covered",
    )
    .option("--project <id|name>", "verify only the chain of this project");
  addSettings(command, [settings.timestampRoots]);
  const work: Work = async ({ config, options, operands, terminal }) => {
    const path = operands[0] ?? config.dataDir;
    try {
      const progress = createProgress(terminal);
      const verification = await verifyPath(
        path,
        toOptions(options, config.timestampRoots),
        progress.show,
      ).finally(progress.clear);
      session.exitCode = verdicts[verification.finding.verdict];
      return { data: toData(verification), text: toText(verification) };
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      session.exitCode = verdicts.unusable;
      return unusable(path, error);
    }
  };
  bindWork(command, session, work, { ignoresConfig: (operands) => operands.length > 0 });
}

interface VerifyOptions {
  readonly checkpoints: readonly string[];
  readonly publicKey: string | null;
  readonly policy?: string | null;
  readonly project: string | null;
  /** Folder of what was kept elsewhere; absent or null: none. */
  readonly kept?: string | null;
  /** File of the roots of time stamp authorities; absent or null: none. */
  readonly timestampRoots?: string | null;
}

/** Values of an option that can be repeated. */
export function collect(file: string, files: readonly string[]): readonly string[] {
  return [...files, file];
}

function toOptions(
  { checkpoint, publicKey, policy, project, kept }: Readonly<Record<string, unknown>>,
  timestampRoots: string | null,
): VerifyOptions {
  return {
    timestampRoots,
    checkpoints: Array.isArray(checkpoint) ? checkpoint.map(String) : [],
    publicKey: typeof publicKey === "string" ? publicKey : null,
    policy: typeof policy === "string" ? policy : null,
    project: typeof project === "string" ? project : null,
    kept: typeof kept === "string" ? kept : null,
  };
}

/** @throws UnusableInput */
export async function verifyPath(
  path: string,
  options: VerifyOptions,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Verification> {
  const subject = findSubject(path);
  const { kept: folder = null } = options;
  const deposits = folder === null ? [] : requireDeposits(folder);
  if (folder !== null && subject.kind !== "database")
    throw new UnusableInput("--kept compares a database with what was kept. Give the path of a database.");
  const evidence = gatherEvidence(subject, { ...options, kept: await checkpointsIn(deposits) });
  const examined = await examine(subject, evidence, options, onProgress);
  const finding =
    folder === null || evidence.reader === null
      ? examined
      : await compareWithDeposits(examined, {
          ...{ folder, deposits, reader: evidence.reader, database: subject.path },
        });
  return { subject, evidence, finding, stamps: await stampsOf(subject, evidence, finding, options) };
}

/** Of the chains that were verified. */
async function stampsOf(
  { kind, path }: Subject,
  { reader }: Evidence,
  { chains }: Finding,
  { checkpoints, timestampRoots = null }: VerifyOptions,
): Promise<readonly StampedCheckpoint[]> {
  const roots = await readRoots(timestampRoots);
  if (reader === null) return [];
  const stored = kind === "database" ? ledgerVerifier.stampedNotes(path) : [];
  const found = [...stored.map((each) => ({ ...each, file: null })), ...stampsIn(checkpoints)];
  const stamps = await verifyStamps(found, reader, roots);
  return stamps.filter(({ chain }) => chains.some((one) => one.chain === chain));
}

async function examine(
  subject: Subject,
  evidence: Evidence,
  { project }: VerifyOptions,
  onProgress: (done: number, total: number) => void,
): Promise<Finding> {
  const { reader } = evidence;
  if (subject.kind === "database")
    return ledgerVerifier.verify({ ...evidence, path: subject.path, project, onProgress });
  if (project !== null) throw new UnusableInput("--project is for a database. Remove it.");
  if (reader === null)
    throw new UnusableInput(
      "No public key was given or found, so no signature can be checked. Add --public-key FILE.",
    );
  if (subject.kind === "deposits")
    return verifyDeposits({
      ...evidence,
      reader,
      cryptography: runtimeCryptography,
      deposits: findDeposits(subject.path),
    });
  requireRegular(subject.path);
  const [file, manifest] = [Bun.file(subject.path).stream(), readText(subject.manifest)];
  return verifyExport({ ...evidence, reader, cryptography: runtimeCryptography, file, manifest, onProgress });
}

function unusable(path: string, { message }: UnusableInput): Report {
  const data = { verdict: "unusable", exit_code: verdicts.unusable, path, message };
  return { data, text: `UNUSABLE: ${path} cannot be verified.\n${message}` };
}
