// Owns the output of a verification: text that says what to do next, and the object that is printed with --json.

import { type ChainReport, type Report, type Verdict, verdicts } from "../audit/verify/verdict.ts";
import { counted } from "../text/plural.ts";
import type { Evidence, Subject } from "./audit-evidence.ts";
import { table } from "./terminal.ts";

export interface Verification {
  readonly subject: Subject;
  readonly evidence: Evidence;
  readonly finding: Report;
}

export function toData({ subject, evidence, finding }: Verification) {
  const { verdict, records, failure, contradiction, remarks } = finding;
  return {
    verdict,
    exit_code: verdicts[verdict],
    path: subject.path,
    kind: subject.kind,
    records,
    failure,
    contradiction,
    chains: finding.chains.map(chainData),
    public_key: { source: evidence.keySource, keys: evidence.keys },
    remarks,
  };
}

function chainData(report: ChainReport) {
  const { chain, project, records, checkpoints, anchors, uncoveredRecords, failure, contradiction } = report;
  return {
    chain,
    project,
    records,
    first_seq: report.firstSeq,
    last_seq: report.lastSeq,
    without_payload: report.withoutPayload,
    checkpoints,
    anchors,
    attested_through: report.coveredThrough,
    tail: uncoveredRecords,
    removed_in_tail: report.uncoveredRemovals,
    failure,
    contradiction,
  };
}

export function toText({ subject, evidence, finding }: Verification): string {
  const { verdict, chains, remarks } = finding;
  const parts = [`${headlines[verdict]}${removedAfterCheckpoint(finding)}\n${subject.path}`];
  const check = finding.failure?.check;
  if (evidence.keyAdvice !== null && (check === "signature" || check === "manifest"))
    parts.push(evidence.keyAdvice);
  if (chains.length > 0) parts.push(chainTable(chains));
  const failures = failureText(finding);
  if (failures !== "") parts.push(failures);
  parts.push(adviceText(subject, evidence, finding));
  parts.push(...chains.flatMap(removalText));
  const notices = [
    `Public key: ${evidence.keys.join(", ") || "none, so no signature was checked"}`,
    ...remarks,
  ];
  parts.push(notices.join("\n"));
  return parts.join("\n\n");
}

const headlines: Readonly<Record<Verdict, string>> = {
  intact: "INTACT: every check passed, and external checkpoints cover the records.",
  unattested: "UNATTESTED: every check passed, but external checkpoints are missing.",
  broken: "BROKEN: a check failed.",
  contradicted: "CONTRADICTED: a signed checkpoint does not match the records.",
  unusable: "UNUSABLE.",
};

const advice: Readonly<Record<Exclude<Verdict, "unattested">, string>> = {
  intact:
    'Records after the newest external checkpoint (column "not covered") are consistent. To cover them, give a newer checkpoint.',
  broken:
    "Do not change or delete the file: it may be evidence. Records before the failed record can be trusted up to the newest external checkpoint. Compare the other records with a backup or an export.",
  contradicted:
    "Do not change or delete the file and the checkpoint: they may be evidence. Records up to the newest checkpoint that matches can be trusted. Compare the other records with a backup or an export. If you restored an old backup, this result is expected.",
  unusable: "",
};

function adviceText(subject: Subject, { refusedOutside }: Evidence, finding: Report): string {
  const { verdict, failure } = finding;
  if (verdict === "unattested") return missingCheckpoints(subject, finding);
  const isExternal = failure !== null && failure.message === refusedOutside?.message;
  return isExternal ? externalCheckpointAdvice : advice[verdict];
}

const externalCheckpointAdvice =
  "All records passed. A checkpoint given with --checkpoint failed. Make sure that it belongs to this ledger and that --public-key names the right key, then verify again. If both are right, do not change or delete any file: either the checkpoint was changed, or the ledger was signed with another key.";

/** An addition to the verdict "intact": no external checkpoint covers these removals. */
function removedAfterCheckpoint({ verdict, chains }: Report): string {
  const removed = chains.reduce((sum, chain) => sum + chain.uncoveredRemovals, 0);
  if (verdict !== "intact" || removed === 0) return "";
  const what = counted(removed, "record or payload was", "records or payloads were");
  return ` ${what} removed after the newest checkpoint.`;
}

/** Removals that no external checkpoint covers. */
function removalText({ project, uncoveredRemovals, coveredThrough }: ChainReport): string[] {
  if (uncoveredRemovals === 0) return [];
  const owner = project === null ? "Installation" : `Project ${project}`;
  return [
    `${owner}: records after ${coveredThrough} report that the server removed ${counted(uncoveredRemovals, "record or payload", "records or payloads")}. No external checkpoint covers this removal, so a holder of the signing key could have made it. To rule that out, give a newer checkpoint.`,
  ];
}

/** Says which checkpoints are needed for the verdict "intact". */
function missingCheckpoints({ kind }: Subject, { chains }: Report): string {
  if (kind === "export") {
    const [{ firstSeq = null, lastSeq = null } = {}] = chains;
    if (firstSeq === null) return "The export contains no records, so no checkpoint can cover it.";
    return `The signature shows that a holder of the signing key made this export. To detect a change by such a holder too, give a checkpoint of a record from ${firstSeq} to ${lastSeq} that was kept outside the server: --checkpoint FILE.`;
  }
  const open = chains.filter(({ records, coveredThrough }) => records > 0 && coveredThrough === null);
  const names = open.map(({ project }) => (project === null ? "the installation" : project)).join(", ");
  return `Anyone who can write to this file could have rewritten all records or removed the newest ones. No external checkpoint covers: ${names || "any chain"}. Give a checkpoint that was kept outside the server with --checkpoint FILE, or verify one project with --project.`;
}

function chainTable(chains: readonly ChainReport[]): string {
  return table(
    [
      "project",
      "records",
      "from",
      "to",
      "payloads removed",
      "checkpoints",
      "covered up to",
      "not covered",
      "",
    ],
    chains.map((chain) => [
      chain.project ?? "(installation)",
      chain.records,
      chain.firstSeq,
      chain.lastSeq,
      chain.withoutPayload,
      chain.checkpoints,
      chain.coveredThrough,
      chain.uncoveredRecords,
      chain.failure !== null
        ? "BROKEN"
        : chain.contradiction !== null
          ? chain.contradiction.kind.toUpperCase()
          : "ok",
    ]),
  );
}

function failureText({ chains, failure, contradiction }: Report): string {
  const lines: string[] = [];
  for (const chain of chains) {
    const where = `of chain ${chain.chain} (${chain.project === null ? "installation" : `project ${chain.project}`})`;
    if (chain.failure !== null) {
      const { seq, check, message } = chain.failure;
      lines.push(`Record ${seq} ${where} failed the check "${check}": ${message}.`);
    }
    if (chain.contradiction !== null) lines.push(`Chain ${chain.chain}: ${chain.contradiction.message}.`);
  }
  if (failure !== null && failure.chain === null)
    lines.push(`The check "${failure.check}" failed: ${failure.message}.`);
  const isShown = chains.some((chain) => chain.contradiction === contradiction);
  if (contradiction !== null && !isShown) lines.push(`${contradiction.message}.`);
  return lines.join("\n");
}
