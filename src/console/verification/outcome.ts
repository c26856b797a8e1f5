// Owns what a person sees of a verification: the verdict of the checks in sentences. Plain data, so a worker can send it. Must never decide
// a verdict.

import type { AcceptedKeys, GivenCheckpoints, InputNames } from "../../audit/verify/evidence.ts";
import type { ReceiptReport } from "../../audit/verify/receipts/report.ts";
import { adviceText, failureText, headline, removalText } from "../../audit/verify/report-text.ts";
import type { Report, Verdict } from "../../audit/verify/verdict.ts";

export interface Outcome {
  readonly verdict: Verdict;
  /** One sentence: what the verdict means. */
  readonly headline: string;
  /** Failed checks and contradictions, the first broken record first. */
  readonly failures: readonly string[];
  /** What to do next; may be empty. */
  readonly advice: string;
  /** What else a person should know. */
  readonly remarks: readonly string[];
  /** The verifier keys whose signatures were accepted. */
  readonly keys: readonly string[];
  /** Null: unusable, so nothing was checked. */
  readonly report: Report | null;
  /** Of a receipt. */
  readonly receipt?: ReceiptReport;
}

/** How messages name the fields of the page. */
export const inputNames: InputNames = {
  checkpoint: 'the field "Kept checkpoint"',
  publicKey: 'the field "Public key"',
};

export function toOutcome(
  report: Report,
  { keys, hasUnconfirmed }: AcceptedKeys,
  { failure: refusedOutside }: Pick<GivenCheckpoints, "failure">,
  hasRotations: boolean,
): Outcome {
  const check = report.failure?.check;
  const isAboutKey = (check === "signature" || check === "manifest") && (hasUnconfirmed || !hasRotations);
  return {
    verdict: report.verdict,
    headline: headline(report),
    failures: failureText(report)
      .split("\n")
      .filter((line) => line !== ""),
    advice: adviceText({ kind: "export", refusedOutside }, report, inputNames),
    remarks: [...(isAboutKey ? [changedKey] : []), ...report.chains.flatMap(removalText), ...report.remarks],
    keys,
    report,
  };
}

const changedKey =
  "If the key of this ledger was changed after you received the public key, add the file audit.rotations of the data directory, or get the new public key from the operator in a way that you trust.";

export function unusable(name: string, message: string): Outcome {
  return {
    verdict: "unusable",
    headline: `UNUSABLE: ${name} cannot be verified.`,
    failures: [message],
    advice: "",
    remarks: [],
    keys: [],
    report: null,
  };
}
