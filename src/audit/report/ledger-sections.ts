// Owns what the page of a report says about the chains: findings, coverage, retention, and statements of third parties. Pure.

import { counted } from "../../platform/text/plural.ts";
import { nameOfKey } from "../verify/note.ts";
import { type Report, type ReportedChain, type ReportedRemoval, sixMonthsDays } from "./report.ts";
import type { Block, Cell, Section } from "./section.ts";

function ownerOf({ project }: Pick<ReportedChain, "project">): string {
  if (project === null) return "installation";
  return project.deleted_at === null ? project.name : `${project.name} (deleted ${project.deleted_at})`;
}

function days(count: number | null): string {
  return count === null ? "without a limit" : counted(count, "day");
}

/** What an auditor should look at first. */
export function findingsOf({ chains, more_chains: more, subject }: Report): readonly Block[] {
  const findings: Block[] = [];
  const warn = (text: string) => findings.push({ text, tone: "warning" });
  for (const chain of chains) {
    const { retention_days: kept, verification, missing } = chain;
    const owner = ownerOf(chain);
    if (verification !== null && verification.verdict !== "unattested")
      warn(`${owner}: the ledger does not verify. ${verification.finding ?? ""}`);
    if (missing > 0) warn(`${owner}: ${counted(missing, "position")} of the period without a record.`);
    if (kept !== null && kept < sixMonthsDays)
      warn(
        `${owner}: records are kept for ${days(kept)}. Articles 19 and 26(6) of Regulation (EU) 2024/1689 ask for six months at least (${sixMonthsDays} days), unless other law provides otherwise.`,
      );
    for (const removal of early(chain))
      warn(
        `${owner}: at ${removal.at}, records were removed that were ${days(removal.youngest_days)} old, less than the ${days(kept)} that are promised now.`,
      );
  }
  const alone = chains.filter(({ attestations }) => attestations.length === 0);
  if (alone.length > 0)
    warn(
      `Nobody outside has signed this: ${alone.map(ownerOf).join(", ")}. Whoever has the signing key could have written these records again.`,
    );
  if (more > 0) warn(`${counted(more, "further chain")} not in this report. Make a report of each project.`);
  if (findings.length === 0)
    findings.push({ text: "The ledger verifies, without a gap. No finding.", tone: "good" });
  if (subject !== null)
    findings.push({
      text: `Counts and erasures are those of the subject with the pseudonym ${subject} only.`,
    });
  return findings;
}

function early({ removals, retention_days: kept }: ReportedChain): readonly ReportedRemoval[] {
  return kept === null ? [] : removals.filter(({ youngest_days: age }) => age < kept);
}

export function summary(report: Report): Section {
  const { period, project, subject, made_at, version, chain } = report;
  const facts: (readonly Cell[])[] = [
    ["Period", `${period.from} to ${period.to}`],
    [
      "About",
      project === null ? "the installation and all projects" : `project ${project.name} (${project.id})`,
    ],
    ...(subject === null ? [] : [["Subject", subject]]),
    ["Made", `${made_at} by memledger ${version}`],
    ["Signed in the name of", `chain ${chain}`],
  ];
  return {
    id: "summary",
    title: "Summary",
    blocks: [{ head: [], rows: facts, none: "" }, ...findingsOf(report)],
  };
}

export function coverage({ chains, subject, project }: Report): Section {
  const only = project === null ? "" : ` --project ${project.id}`;
  return {
    id: "coverage",
    title: "Coverage and verification",
    blocks: [
      {
        text: `The records of a chain are numbered without gaps and linked by hashes. They were counted for this report${subject === null ? "" : ", those of all subjects"}, and the server has verified each chain from its first record on. Whoever has a copy of the database, or an export, can repeat that.`,
      },
      {
        head: ["chain", "first record", "last record", "records", "missing", "removed before", "checkpoints"],
        rows: chains.map((chain) => [
          `${ownerOf(chain)}\n${chain.chain}`,
          placeText(chain.first),
          placeText(chain.last),
          chain.records,
          chain.missing,
          chain.removed_through,
          `${chain.checkpoints}; the newest covers ${chain.checkpoint.size}`,
        ]),
        none: "There is no chain.",
      },
      {
        head: ["chain", "verified", "result"],
        rows: chains.map((chain) => [ownerOf(chain), ...verificationCells(chain)]),
        none: "There is no chain.",
      },
      { command: `memledger audit verify DATABASE --checkpoint REPORT --public-key audit.pub${only}` },
    ],
  };
}

function placeText(place: ReportedChain["first"]): string {
  return place === null ? "none in the period" : `${place.seq}\n${place.at}\n${place.id}`;
}

function verificationCells({ verification }: ReportedChain): readonly Cell[] {
  if (verification === null) return ["not verified: the chain has no record", ""];
  const { from_seq: from, through_seq: through, started_at: at, verdict, finding } = verification;
  const result = verdict === "unattested" ? "every check passed" : verdict.toUpperCase();
  return [
    `records ${from} to ${through}, in a check that began at ${at}`,
    finding === null ? result : `${result}: ${finding}`,
  ];
}

export function retention({ chains }: Report): Section {
  const rows = chains.flatMap((chain) =>
    chain.removals.map((removal) => [
      ownerOf(chain),
      removal.at,
      `${removal.count}, up to ${removal.through}`,
      `${removal.first_at}\n${removal.last_at}`,
      `${days(removal.youngest_days)}${early(chain).includes(removal) ? ": less than promised now" : ""}`,
    ]),
  );
  const more = chains.reduce((sum, chain) => sum + chain.more_removals, 0);
  return {
    id: "retention",
    title: "Retention",
    blocks: [
      {
        head: ["chain", "records are kept", "their payloads", ""],
        rows: chains.map((chain) => [
          ownerOf(chain),
          days(chain.retention_days),
          chain.payload_retention_days === null ? "as long" : days(chain.payload_retention_days),
          chain.retention_days !== null && chain.retention_days < sixMonthsDays ? "below six months" : "",
        ]),
        none: "There is no chain.",
      },
      {
        text: "Each removal has a signed anchor, which this file contains: how many records were removed, their ends in time, and the hash that the next record links to. A retention that was changed in the period is in the administration.",
      },
      {
        head: ["chain", "removed at", "records", "from when, to when", "age of the newest"],
        rows,
        none: "No record was removed since the beginning of the period.",
      },
      ...(more === 0 ? [] : [{ text: `${counted(more, "older removal")} not listed.` }]),
    ],
  };
}

export function attestations({ chains }: Report): Section {
  const rows = chains.flatMap((chain) =>
    chain.attestations.map((each) => [
      ownerOf(chain),
      each.kind === "cosignature" ? "witness" : "time stamp authority",
      each.kind === "cosignature" ? nameOfKey(each.source) : each.source,
      each.size,
      each.stored_at,
      each.count,
    ]),
  );
  return {
    id: "attestations",
    title: "Witnesses and time stamps",
    blocks: [
      {
        head: ["chain", "kind", "who", "records covered", "stored at", "statements"],
        rows,
        none: "Nobody outside has signed this.",
      },
      ...(rows.length === 0 ? [] : [checkedByServer]),
    ],
  };
}

const checkedByServer: Block = {
  text: "The server has checked these statements when it stored them. Whoever has the keys of the witnesses and the roots of the authorities checks them again: memledger audit verify --policy FILE.",
};
