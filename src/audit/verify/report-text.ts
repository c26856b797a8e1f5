// Owns the sentences about a verification: the verdict, what failed, and what to do next. Must never decide a verdict.

import { counted } from "../../platform/text/plural.ts";
import type { InputNames } from "./evidence.ts";
import type { ChainReport, Failure, Report, Verdict } from "./verdict.ts";

const headlines: Readonly<Record<Verdict, string>> = {
  intact: "INTACT: every check passed, and external checkpoints cover the records.",
  unattested:
    "UNATTESTED: every check passed, but nobody outside has signed this: no external checkpoint covers the records.",
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

interface Verified {
  readonly kind: "database" | "export" | "deposits";
  readonly refusedOutside: Failure | null;
}

/** What to do next. */
export function adviceText({ kind, refusedOutside }: Verified, finding: Report, names: InputNames): string {
  const { verdict, failure } = finding;
  if (verdict === "unattested") return missingCheckpoints(kind, finding, names);
  const isExternal = failure !== null && failure.message === refusedOutside?.message;
  return isExternal ? externalCheckpointAdvice(names) : advice[verdict];
}

function externalCheckpointAdvice({ checkpoint, publicKey }: InputNames): string {
  return `All records passed. A checkpoint given with ${checkpoint} failed. Make sure that it belongs to this ledger and that ${publicKey} names the right key, then verify again. If both are right, do not change or delete any file: either the checkpoint was changed, or the ledger was signed with another key.`;
}

/** The verdict in one sentence, and removals that no external checkpoint covers. */
export function headline({ verdict, chains }: Report): string {
  const removed = chains.reduce((sum, chain) => sum + chain.uncoveredRemovals, 0);
  if (verdict !== "intact" || removed === 0) return headlines[verdict];
  const what = counted(removed, "record or payload was", "records or payloads were");
  return `${headlines[verdict]} ${what} removed after the newest checkpoint.`;
}

/** Removals that no external checkpoint covers. */
export function removalText({ project, uncoveredRemovals, coveredThrough }: ChainReport): string[] {
  if (uncoveredRemovals === 0) return [];
  const owner = project === null ? "Installation" : `Project ${project}`;
  return [
    `${owner}: records after ${coveredThrough} report that the server removed ${counted(uncoveredRemovals, "record or payload", "records or payloads")}. No external checkpoint covers this removal, so a holder of the signing key could have made it. To rule that out, give a newer checkpoint.`,
  ];
}

/** Says which checkpoints are needed for the verdict "intact". */
function missingCheckpoints(kind: Verified["kind"], { chains }: Report, { checkpoint }: InputNames): string {
  if (kind === "export") {
    const [{ firstSeq = null, lastSeq = null } = {}] = chains;
    if (firstSeq === null) return "The export contains no records, so no checkpoint can cover it.";
    return `The signature shows that a holder of the signing key made this export. To detect a change by such a holder too, give a checkpoint of a record from ${firstSeq} to ${lastSeq} that was kept outside the server: ${checkpoint}.`;
  }
  if (kind === "deposits")
    return `The files fit together, and a holder of the signing key has signed them. To compare a ledger with them, give its database, and this folder with --kept.`;
  const open = chains.filter(({ records, coveredThrough }) => records > 0 && coveredThrough === null);
  const names = open.map(({ project }) => (project === null ? "the installation" : project)).join(", ");
  return `Anyone who can write to this file could have rewritten all records or removed the newest ones. No external checkpoint covers: ${names || "any chain"}. Give a checkpoint that was kept outside the server with ${checkpoint}, or verify one project with --project.`;
}

/** One line for each failed check and each contradiction. */
export function failureText({ chains, failure, contradiction }: Report): string {
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
