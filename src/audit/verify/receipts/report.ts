// Owns what a person is told of a receipt: the verdict, what it proves, by whom and for which time, and what it does not prove. Pure.

import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import { counted } from "../../../platform/text/plural.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { Cryptography } from "../cryptography.ts";
import { isOwn } from "../own-records.ts";
import { decodeText } from "../part-lines.ts";
import type { Verdict } from "../verdict.ts";
import { type VerifiedErasure, verifyErasureReceipt } from "./erasure-receipt.ts";
import {
  type ProvedPayload,
  type ProvedRecord,
  type ReceiptKeys,
  type Signed,
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
}

/** @param witnessOption how a person gives the key of a witness, such as `--witness-key VKEY` */
export function reportReceipt(
  file: Uint8Array,
  keys: ReceiptKeys,
  witnessOption: string,
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
    };
  const isErasure = "subject" in found;
  const proved = isErasure ? erasureProved(found) : recordProved(found);
  const notProved = isErasure ? erasureNotProved(found) : recordNotProved(found);
  const isAttested = found.cosignatures.length > 0;
  return {
    verdict: isAttested ? "intact" : "unattested",
    headline: isAttested
      ? "VALID: the ledger has signed this record, and a witness has seen it."
      : "VALID: the ledger has signed this record. Nobody outside has signed it.",
    proved: [...proved, signedText(found), ...witnessTexts(found)],
    notProved: [...(isAttested ? [] : [nobodyOutside(found, witnessOption)]), ...notProved],
    facts: isErasure ? erasureFacts(found) : recordFacts(found),
    payload: isErasure ? null : (found.payload?.value ?? null),
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

function recordNotProved({ entry, payload, hasTimestamp }: ProvedRecord): string[] {
  const absent = payload === null ? 1 : payload.erased + payload.withheld;
  return [
    `That the clock of the server was right at ${entry.at}.`,
    ...(isOwn(entry) ? [] : ["That the call was made: a client has appended this record."]),
    ...(payload === null ? ["What was asked and answered: it is not in the receipt."] : []),
    ...(payload !== null && absent > 0
      ? ["What the missing texts say, and whether they were erased from the ledger or from the receipt."]
      : []),
    ...(hasTimestamp ? ["What the time stamp in the receipt says: it was not checked."] : []),
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
  const names = signers.map((key) => key.split("+").slice(0, 2).join("+")).join(" and ");
  return `The key ${names} has signed the ledger with this record in it: a checkpoint of ${counted(leaves, "leaf", "leaves")} of the chain ${chain}.`;
}

function witnessTexts({ cosignatures }: Signed): string[] {
  return cosignatures.map(
    ({ witness, at }) =>
      `The witness ${witness} had this checkpoint at ${toTimestamp(at * 1000)}, so the record is not younger, and the ledger that this witness knows cannot lose it unnoticed.`,
  );
}

function nobodyOutside({ unknown }: Signed, witnessOption: string): string {
  const others =
    unknown.length === 0
      ? ""
      : ` It has signatures of ${unknown.join(", ")}, which were not checked: give their keys with ${witnessOption}.`;
  return `When the record was made, and that the ledger was not written again since: nobody outside has signed this, so a holder of the signing key can have made all of it later.${others}`;
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
    witnesses: cosignatures.map(({ witness, at }) => ({ name: witness, at: toTimestamp(at * 1000) })),
  };
}
