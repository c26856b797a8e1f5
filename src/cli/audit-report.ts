// Owns how a verification is told: to people with what to do next, to scripts as one object.

import { type ChainReport, type Report, type Verdict, verdicts } from "../audit/verify/verdict.ts";
import { counted } from "../text/plural.ts";
import type { Evidence, Subject } from "./audit-evidence.ts";
import { table } from "./terminal.ts";

export interface Shown {
  readonly subject: Subject;
  readonly evidence: Evidence;
  readonly finding: Report;
}

export function toData({ subject, evidence, finding }: Shown) {
  const { verdict, records, failure, contradiction, remarks } = finding;
  return {
    ...{ verdict, exit_code: verdicts[verdict], path: subject.path, kind: subject.kind, records },
    ...{ failure, contradiction, chains: finding.chains.map(chainData) },
    public_key: { source: evidence.keySource, keys: evidence.keys },
    remarks,
  };
}

function chainData(report: ChainReport) {
  const { chain, project, records, checkpoints, anchors, tail, failure, contradiction } = report;
  return {
    ...{ chain, project, records, first_seq: report.firstSeq, last_seq: report.lastSeq },
    ...{ without_payload: report.withoutPayload, checkpoints, anchors },
    ...{ attested_through: report.attestedThrough, tail, removed_in_tail: report.removedInTail },
    ...{ failure, contradiction },
  };
}

export function showFinding({ subject, evidence, finding }: Shown): string {
  const { verdict, chains, remarks } = finding;
  const parts = [`${headlines[verdict]}${removedAfterCheckpoint(finding)}\n${subject.path}`];
  const check = finding.failure?.check;
  if (evidence.keyDoubt !== null && (check === "signature" || check === "manifest"))
    parts.push(evidence.keyDoubt);
  if (chains.length > 0) parts.push(chainTable(chains));
  const found = whatWasFound(finding);
  if (found !== "") parts.push(found);
  parts.push(whatToDo(subject, evidence, finding));
  parts.push(...chains.flatMap(whatWasRemoved));
  const told = [`Key: ${evidence.keys.join(", ") || "none; nothing here is signed"}`, ...remarks];
  parts.push(told.join("\n"));
  return parts.join("\n\n");
}

const headlines: Readonly<Record<Verdict, string>> = {
  intact: "INTACT: every check passed, and a checkpoint from outside attests the records.",
  unattested: "UNATTESTED: everything fits together, but nothing from outside attests it.",
  broken: "BROKEN: a check failed.",
  contradicted: "CONTRADICTED: a signed checkpoint says otherwise.",
  unusable: "UNUSABLE.",
};

const advice: Readonly<Record<Exclude<Verdict, "unattested">, string>> = {
  intact:
    "Records after the attested ones (column tail) are consistent, but a newer checkpoint is needed to prove them.",
  broken:
    "Keep the file as it is. Records before the one named are as good as their checkpoints; compare the rest with a backup or an export.",
  contradicted:
    "Keep the file and the checkpoint as they are. Records up to the newest checkpoint that agrees are good; compare the rest with a backup or an export. After restoring an old backup this is what you must see.",
  unusable: "",
};

function whatToDo(subject: Subject, { refusedOutside }: Evidence, finding: Report): string {
  const { verdict, failure } = finding;
  if (verdict === "unattested") return whatIsMissing(subject, finding);
  const isAboutGiven = failure !== null && failure.message === refusedOutside?.message;
  return isAboutGiven ? adviceOnGiven : advice[verdict];
}

const adviceOnGiven =
  "No record failed a check; what failed is a checkpoint given with --checkpoint. Make sure that it belongs to this ledger and that --public-key names the right key, then verify again. If both are right, keep all files as they are: either the checkpoint was changed, or the ledger was signed with another key.";

/** The verdict alone would hide it: what the server has removed since then, nobody outside has attested. */
function removedAfterCheckpoint({ verdict, chains }: Report): string {
  const removed = chains.reduce((sum, chain) => sum + chain.removedInTail, 0);
  if (verdict !== "intact" || removed === 0) return "";
  const what = counted(removed, "record or payload was", "records or payloads were");
  return ` ${what} removed after the newest checkpoint.`;
}

/** What nobody outside has attested although what is left is attested. */
function whatWasRemoved({ project, removedInTail, attestedThrough }: ChainReport): string[] {
  if (removedInTail === 0) return [];
  const whose = project === null ? "the installation" : `the project ${project}`;
  return [
    `Of ${whose}, records after ${attestedThrough} say that the server removed ${counted(removedInTail, "record or payload", "records or payloads")}. No checkpoint from outside attests that: the holder of the signing key could have removed them. Give a newer checkpoint to prove it.`,
  ];
}

/** Which checkpoints would make the verdict intact. */
function whatIsMissing({ kind }: Subject, { chains }: Report): string {
  if (kind === "export") {
    const [{ firstSeq = null, lastSeq = null } = {}] = chains;
    if (firstSeq === null) return "There is no record in it that a checkpoint could attest.";
    return `Only the holder of the signing key can have made it. To prove it against them, too, give a checkpoint of a record from ${firstSeq} to ${lastSeq} that was kept where they cannot reach it: --checkpoint FILE.`;
  }
  const open = chains.filter(({ records, attestedThrough }) => records > 0 && attestedThrough === null);
  const names = open.map(({ project }) => (project === null ? "the installation" : project)).join(", ");
  return `Whoever can write this file could have rewritten all of it and removed the newest records. No checkpoint from outside attests ${names || "anything"}: give one that was kept where they cannot reach it with --checkpoint FILE, or verify one project with --project.`;
}

function chainTable(chains: readonly ChainReport[]): string {
  return table(
    ["project", "records", "from", "to", "payloads removed", "checkpoints", "attested up to", "tail", ""],
    chains.map((chain) => [
      chain.project ?? "(installation)",
      chain.records,
      chain.firstSeq,
      chain.lastSeq,
      chain.withoutPayload,
      chain.checkpoints,
      chain.attestedThrough,
      chain.tail,
      chain.failure !== null
        ? "BROKEN"
        : chain.contradiction !== null
          ? chain.contradiction.kind.toUpperCase()
          : "ok",
    ]),
  );
}

function whatWasFound({ chains, failure, contradiction }: Report): string {
  const lines: string[] = [];
  for (const chain of chains) {
    const where = `of the chain ${chain.chain} (${chain.project === null ? "installation" : `project ${chain.project}`})`;
    if (chain.failure !== null) {
      const { seq, check, message } = chain.failure;
      lines.push(`Record ${seq} ${where} fails the check "${check}": ${message}.`);
    }
    if (chain.contradiction !== null) lines.push(`The chain ${chain.chain}: ${chain.contradiction.message}.`);
  }
  if (failure !== null && failure.chain === null)
    lines.push(`The check "${failure.check}" fails: ${failure.message}.`);
  const isShown = chains.some((chain) => chain.contradiction === contradiction);
  if (contradiction !== null && !isShown) lines.push(`${contradiction.message}.`);
  return lines.join("\n");
}
