// Owns the verification of the receipt of a record in the browser. The checks are those of `memledger audit verify-receipt`. Must never connect
// anywhere.

import { acceptKeys } from "../../audit/verify/evidence.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { readKeys } from "../../audit/verify/note-reader.ts";
import { parseWitnessKey } from "../../audit/verify/receipts/record-receipt.ts";
import { reportReceipt } from "../../audit/verify/receipts/report.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import { readPolicy } from "../../audit/witness/policy.ts";
import { browserCryptography } from "./browser-cryptography.ts";
import type { VerificationRequest } from "./messages.ts";
import { inputNames, type Outcome, unusable } from "./outcome.ts";

type ReceiptInput = Pick<VerificationRequest, "name" | "publicKey" | "rotations" | "remarks" | "policy">;

/** Never throws for what a file contains. */
export function verifyReceiptFile(
  file: Uint8Array,
  { name, publicKey, rotations, remarks, policy: given }: ReceiptInput,
): Outcome {
  try {
    const policy = given === null ? null : readPolicy(given.text, given.name, browserCryptography);
    const lines = (publicKey ?? "").split("\n");
    const pasted = lines.flatMap((line) => parseWitnessKey(line, browserCryptography) ?? []);
    const isWitness = (line: string) => pasted.some(({ text }) => text === line.trim());
    const witnesses = [...(policy?.witnesses.map(({ key }) => key) ?? []), ...pasted];
    const own = lines.filter((line) => line.trim() !== "" && !isWitness(line)).join("\n");
    if (own === "") throw new UnusableInput("No public key was given. Add the public key of the ledger.");
    const keys = readKeys(own, "The public key", browserCryptography);
    const accepted = acceptKeys(keys, splitNotes(rotations), inputNames, browserCryptography);
    const trust = { ledger: accepted.keys, witnesses, policy, witnessOption: inputNames.publicKey };
    const receipt = reportReceipt(file, trust, browserCryptography);
    const { verdict, headline } = receipt;
    const shown = { verdict, headline, failures: [], advice: "", report: null, receipt };
    return { ...shown, remarks: [...remarks, ...accepted.remarks], keys: accepted.keys };
  } catch (error) {
    if (error instanceof UnusableInput) return unusable(name, error.message);
    throw error;
  }
}
