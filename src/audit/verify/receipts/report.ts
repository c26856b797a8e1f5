// Owns what a person is told of a receipt: the verdict, what it proves, by whom and for which time, and what it does not prove. Pure.

import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import { counted } from "../../../platform/text/plural.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { stampData, stampText } from "../../timestamp/stamp-report.ts";
import type { TimeStamp } from "../../timestamp/token.ts";
import type { Policy } from "../../witness/policy.ts";
import type { Cryptography } from "../cryptography.ts";
import { nameOfKey } from "../note.ts";
import { isOwn } from "../own-records.ts";
import { decodeText } from "../part-lines.ts";
import type { Verdict } from "../verdict.ts";
import { type VerifiedErasure, verifyErasureReceipt } from "./erasure-receipt.ts";
import {
  type ProvedPayload,
  type ProvedRecord,
  type ReceiptKeys,
  type Signed,
  type StampedText,
  verifyRecordReceipt,
} from "./record-receipt.ts";
import { tlogProofHeading } from "./tlog-proof.ts";

export interface ReceiptReport {
  /** `intact` only if somebody outside has signed the checkpoint. */
  readonly verdict: Extract<Verdict, "intact" | "unattested" | "broken">;
  readonly headline: string;
  /** Sentences; none if the receipt is not valid. */
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  /** What was verified, by name. */
  readonly facts: JsonObject;
  /** Of a record, if it is in the receipt. */
  readonly payload: JsonObject | null;
  /** A time stamp that is to be verified (withTimeStamp); null: there is none. */
  readonly stamped: StampedText | null;
}

/** What a person accepts. */
export interface ReceiptTrust extends ReceiptKeys {
  /** Which witnesses suffice. Null: any. */
  readonly policy: Pick<Policy, "quorum" | "isReached"> | null;
  /** How a person gives the key of a witness, such as `--witness-key VKEY`. */
  readonly witnessOption: string;
}

export function reportReceipt(
  file: Uint8Array,
  keys: ReceiptTrust,
  cryptography: Cryptography,
): ReceiptReport {
  const found = verifyReceipt(file, keys, cryptography);
  if (typeof found === "string")
    return {
      verdict: "broken",
      headline: `NOT VALID: ${found}.`,
      proved: [],
      notProved: [],
      facts: {},
      payload: null,
      stamped: null,
    };
  const isErasure = "subject" in found;
  const proved = isErasure ? erasureProved(found) : recordProved(found);
  const notProved = isErasure ? erasureNotProved(found) : recordNotProved(found);
  const isSeen = found.cosignatures.length > 0;
  const signers = new Set(found.cosignatures.map(({ key }) => key.text));
  const isAttested = isSeen && keys.policy?.isReached(signers) !== false;
  return {
    verdict: isAttested ? "intact" : "unattested",
    headline: isAttested
      ? "VALID: the ledger has signed this record, and a witness has seen it."
      : `VALID: the ledger has signed this record. ${isSeen ? "Too few witnesses have" : "Nobody outside has"} signed it.`,
    proved: [...proved, signedText(found), ...witnessTexts(found)],
    notProved: [...(isAttested ? [] : [notEnough(found, keys)]), ...notProved],
    facts: isErasure ? erasureFacts(found) : recordFacts(found),
    payload: isErasure ? null : (found.payload?.value ?? null),
    stamped: isErasure ? null : found.stamped,
  };
}

const uncheckedStamp = "What the time stamp in the receipt says: it was not checked.";

/** The report of a receipt whose time stamp was verified. @param stamp a text: why it counts for nothing, as a clause */
export function withTimeStamp(report: ReceiptReport, stamp: TimeStamp | string): ReceiptReport {
  const notProved = report.notProved.filter((sentence) => sentence !== uncheckedStamp);
  const facts = { ...report.facts, timestamp: stampData(stamp) };
  return typeof stamp === "string"
    ? {
        ...report,
        facts,
        notProved: [...notProved, `What the time stamp says: it counts for nothing, because ${stamp}.`],
      }
    : {
        ...report,
        facts,
        notProved,
        proved: [...report.proved, `The record existed at ${stampText(stamp)}.`],
      };
}

/** A receipt of either kind. */
function verifyReceipt(
  file: Uint8Array,
  keys: ReceiptKeys,
  cryptography: Cryptography,
): ProvedRecord | VerifiedErasure | string {
  const text = decodeText(file) ?? "";
  const value = text.startsWith(tlogProofHeading) ? undefined : readJson(text);
  if (!isObject(value)) return verifyRecordReceipt(file, keys, cryptography);
  return verifyErasureReceipt(value, keys.ledger, cryptography, keys.witnesses);
}

function recordProved({ entry, payload }: ProvedRecord): string[] {
  const { seq, id, action, at, status } = entry;
  const call = `Record ${seq} of the chain, ${id}, says: ${action} at ${at}, status ${status}.`;
  if (payload === null) return [call];
  return [call, `What the receipt has of the call (${partsText(payload)}) is what was recorded.`];
}

function recordNotProved({ entry, payload, stamped }: ProvedRecord): string[] {
  const absent = payload === null ? 1 : payload.erased + payload.withheld;
  return [
    `That the clock of the server was right at ${entry.at}.`,
    ...(isOwn(entry) ? [] : ["That the call was made: a client has appended this record."]),
    ...(typeof payload?.value?.on_behalf_of === "string"
      ? [
          "That the call was made for the person in on_behalf_of: the client has said so, and nobody has checked it.",
        ]
      : []),
    ...(payload === null ? ["What was asked and answered: it is not in the receipt."] : []),
    ...(payload !== null && absent > 0
      ? ["What the missing texts say, and whether they were erased from the ledger or from the receipt."]
      : []),
    ...(stamped === null ? [] : [uncheckedStamp]),
    "What other records say, or that there are no others.",
  ];
}

function erasureProved({ subject, project, at, records }: VerifiedErasure): string[] {
  return [
    `The ledger has the record of the erasure of ${subject} in the project ${project} at ${at}. It names ${counted(records, "record")}.`,
  ];
}

function erasureNotProved({ at }: VerifiedErasure): string[] {
  return [
    `That the clock of the server was right at ${at}.`,
    "That no copy of the texts is elsewhere, such as in a backup.",
  ];
}

function signedText({ signers, leaves, chain }: Signed): string {
  const names = signers.map(nameOfKey).join(" and ");
  return `The key ${names} has signed the ledger with this record in it: a checkpoint of ${counted(leaves, "leaf", "leaves")} of the chain ${chain}.`;
}

function witnessTexts({ cosignatures }: Signed): string[] {
  return cosignatures.map(
    ({ key, at }) =>
      `The witness ${key.name} had this checkpoint at ${toTimestamp(at)}, so the record is older than that, and a ledger without it would contradict this witness.`,
  );
}

function notEnough({ unknown, cosignatures }: Signed, { policy, witnessOption }: ReceiptTrust): string {
  const others =
    unknown.length === 0
      ? ""
      : ` It has signatures of ${unknown.join(", ")}, which were not checked: give their keys with ${witnessOption}.`;
  const who =
    cosignatures.length === 0
      ? "nobody outside has signed this"
      : `the witnesses that have signed this are not the quorum ${policy?.quorum}`;
  return `When the record was made, and that the ledger was not written again since: ${who}, so a holder of the signing key can have made all of it later.${others}`;
}

function partsText({ parts, erased, withheld }: ProvedPayload): string {
  const absent = [
    ...(erased > 0 ? [`${erased} without its text`] : []),
    ...(withheld > 0 ? [`${withheld} withheld`] : []),
  ];
  return [counted(parts, "part"), ...absent].join(", ");
}

function recordFacts({ entry, payload, ...signed }: ProvedRecord): JsonObject {
  const { id, action, status, code, at, key, memory, project, chain, seq } = entry;
  return {
    ...{ record: id, action, status, code, at, key, memory, project, chain, seq },
    payload: payload === null ? "not in the receipt" : partsText(payload),
    ...signedFacts(signed),
  };
}

function erasureFacts({
  project,
  subject,
  chain,
  seq,
  record,
  at,
  records,
  ...signed
}: VerifiedErasure): JsonObject {
  return { project, subject, chain, seq, record, at, records, ...signedFacts(signed) };
}

function signedFacts({ leaves, signers, cosignatures }: Omit<Signed, "chain">): JsonObject {
  return {
    leaves,
    signed_by: [...signers],
    witnesses: cosignatures.map(({ key, at }) => ({ name: key.name, at: toTimestamp(at) })),
  };
}
