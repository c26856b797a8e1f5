// Owns the verification of a report: signature, digests, the notes inside, that the page shows the JSON, and what kept checkpoints say. Says what
// that proves and what it does not. Must never read a file.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { counted } from "../../platform/text/plural.ts";
import { fromTimestamp } from "../../platform/time/timestamp.ts";
import { version } from "../../platform/version.ts";
import { parseAnchor, parseAnyCheckpoint, parseTreeCheckpoint, type TreeCheckpoint } from "../checkpoint.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import { nameOfKey, openSignedNote } from "../verify/note.ts";
import { decodeText } from "../verify/part-lines.ts";
import { parseUnambiguousJson } from "../verify/unambiguous-json.ts";
import type { Verdict } from "../verify/verdict.ts";
import { type ReportFile, readReportFile } from "./file.ts";
import { renderReport } from "./page.ts";
import { type Report, type ReportedChain, safeText, toReport } from "./report.ts";
import { parseStatement, type ReportStatement } from "./statement.ts";

export interface ReportFinding {
  readonly verdict: Exclude<Verdict, "unusable">;
  readonly headline: string;
  /** Sentences; none if the report is not valid. */
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  readonly facts: JsonObject;
}

/** What a person has. */
export interface ReportTrust {
  readonly keys: readonly string[];
  /** Of version 2, kept elsewhere, with valid signatures. */
  readonly kept: readonly TreeCheckpoint[];
}

interface Verified {
  readonly report: Report;
  readonly form: ReportFile["form"];
  readonly signers: readonly string[];
  /** Whether the page was made again and compared. */
  readonly isMadeAgain: boolean;
}

export function verifyReport(
  file: Uint8Array,
  trust: ReportTrust,
  cryptography: Cryptography,
): ReportFinding {
  const found = checkReport(file, trust.keys, cryptography);
  if (typeof found === "string") {
    const headline = `NOT VALID: ${found}.`;
    return { verdict: "broken", headline, proved: [], notProved: [], facts: {} };
  }
  const matches = compareKept(found.report, trust.kept);
  if (typeof matches === "string") {
    const headline = `CONTRADICTED: ${matches}.`;
    return { verdict: "contradicted", headline, proved: [], notProved: [], facts: factsOf(found) };
  }
  const shown = found.form === "html" ? ", and the page shows what was signed" : "";
  return {
    verdict: matches > 0 ? "intact" : "unattested",
    headline: `VALID: the ledger has signed this report${shown}. ${matches > 0 ? "It has a checkpoint that you have kept." : "Nobody outside has signed it."}`,
    proved: proofsOf(found, matches),
    notProved: openOf(found, matches),
    facts: factsOf(found),
  };
}

/** A text: why it is not valid, as a clause. */
function checkReport(
  bytes: Uint8Array,
  keys: readonly string[],
  cryptography: Cryptography,
): Verified | string {
  const file = readReportFile(decodeText(bytes) ?? "");
  if (file === null) return "the file has not the form of a report";
  const opened = openSignedNote(file.note, keys, cryptography);
  if (opened === null) return "its signature is not one of this key";
  const statement = parseStatement(opened.text);
  if (statement === null) return "what was signed is no report";
  const hash = (text: string) => cryptography.createSha256().update(text).digest();
  if (hash(file.text) !== statement.report) return "the JSON was changed after it was signed";
  if (file.page !== null && hash(file.page) !== statement.page)
    return "the page was changed after it was signed";
  const value = parseUnambiguousJson(file.text);
  const report = isObject(value) && safeText(value) === file.text ? toReport(value) : null;
  if (report === null) return "the JSON has not the form of a report of this version";
  const fault = faultOf(report, file, statement) ?? faultOfNotes(report, keys, cryptography);
  if (fault !== null) return fault;
  return { report, form: file.form, signers: opened.signers, isMadeAgain: report.version === version };
}

/** The holder of the key may sign anything. @throws never: a report of another form has a fault */
function faultOf(report: Report, file: ReportFile, statement: ReportStatement): string | null {
  try {
    const { chain, period } = report;
    const isSame =
      chain === statement.chain &&
      fromTimestamp(period.from) === statement.from &&
      fromTimestamp(period.to) === statement.to;
    if (!isSame) return "the signature is of another chain or another period";
    if (report.version !== version || file.page === null) return null;
    return renderReport(report).page === file.page ? null : "the page shows something else than the JSON";
  } catch {
    return "the JSON has not the form of a report of this version";
  }
}

/** The notes inside must be signed, and say what is beside them. */
function faultOfNotes(report: Report, keys: readonly string[], cryptography: Cryptography): string | null {
  const open = (note: string) => openSignedNote(note, keys, cryptography)?.text ?? null;
  for (const { chain, checkpoint, attested, removals } of report.chains) {
    for (const each of attested === null ? [checkpoint] : [checkpoint, attested]) {
      const text = open(each.note);
      const stated = text === null ? null : parseAnyCheckpoint(text);
      const isSame = stated?.chain === chain && (!("size" in stated) || stated.size === each.size);
      if (!isSame) return `a checkpoint of the chain ${chain} is not what the key has signed`;
    }
    for (const removal of removals) {
      const text = open(removal.note);
      const anchor = text === null ? null : parseAnchor(text);
      if (anchor === null || anchor.chain !== chain || !isSameRemoval(anchor, removal))
        return `the anchor of a removal from the chain ${chain} is not what the key has signed`;
    }
  }
  return null;
}

function isSameRemoval(
  anchor: NonNullable<ReturnType<typeof parseAnchor>>,
  removal: ReportedChain["removals"][number],
): boolean {
  return (
    anchor.through === removal.through &&
    anchor.count === removal.count &&
    anchor.firstAt === fromTimestamp(removal.first_at) &&
    anchor.lastAt === fromTimestamp(removal.last_at)
  );
}

/** How many kept checkpoints the report has, or a text: which one it contradicts, as a clause. */
function compareKept({ chains }: Report, kept: ReportTrust["kept"]): number | string {
  let matches = 0;
  for (const { chain, checkpoint, attested } of chains) {
    for (const { note } of attested === null ? [checkpoint] : [checkpoint, attested]) {
      const own = parseTreeCheckpoint(note.slice(0, note.indexOf("\n\n") + 1));
      const same = kept.filter(
        (one) => one.chain === chain && one.log === own?.log && one.leaves === own.leaves,
      );
      if (same.some(({ root }) => root !== own?.root))
        return `the checkpoint of ${counted(own?.leaves ?? 0, "leaf", "leaves")} of the chain ${chain} is not the one that you have kept`;
      matches += same.length;
    }
  }
  return matches;
}

function proofsOf({ report, form, signers, isMadeAgain }: Verified, matches: number): string[] {
  const { chains, period } = report;
  const names = signers.map(nameOfKey).join(" and ");
  return [
    `The key ${names} has signed this report of ${period.from} to ${period.to}, with every number and text in it.`,
    ...(form === "html" && isMadeAgain ? ["The page was made again from the JSON, and is the same."] : []),
    ...(form === "html" && !isMadeAgain ? ["The page is the one that was signed with the JSON."] : []),
    `The report has ${counted(chains.length, "checkpoint")}, one of each chain, signed with the same key or one before it. A ledger that no longer continues them contradicts this report.`,
    ...(matches > 0 ? ["A checkpoint of the report is the same as one that you have kept."] : []),
  ];
}

function openOf({ report, form, isMadeAgain }: Verified, matches: number): string[] {
  return [
    ...(matches > 0
      ? []
      : [
          "That the ledger was not written again before the report was made: whoever has the signing key can do that. Give a checkpoint that you have kept with --checkpoint FILE, or verify the statements of witnesses.",
        ]),
    "That the database still has these records: give it with --against PATH.",
    ...(form === "html" && !isMadeAgain
      ? [
          `That the page shows the JSON: memledger ${report.version} has made it, and this is ${version}. Compare it with that version.`,
        ]
      : []),
    `That the clock of the server was right at ${report.made_at}.`,
    "That anything complies with a law or a standard.",
  ];
}

function factsOf({ report, signers }: Verified): JsonObject {
  const { chain, period, made_at, version: by, project, subject, chains } = report;
  return {
    chain,
    from: period.from,
    to: period.to,
    made_at,
    version: by,
    project: project?.id ?? null,
    subject,
    chains: chains.length,
    records: chains.reduce((sum, { records }) => sum + records, 0),
    signed_by: [...signers],
  };
}
