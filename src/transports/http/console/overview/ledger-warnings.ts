// Owns the warnings about the ledger: verification and checkpoints.

import { counted } from "../../../../platform/text/plural.ts";
import { toTimestamp } from "../../../../platform/time/timestamp.ts";
import { unconfirmedAgeMaxMs, unsignedAgeMaxMs } from "./limits.ts";
import { commandFor, logRemedy, type WarningRule } from "./warning.ts";

export const ledgerWarnings: readonly WarningRule[] = [
  {
    code: "ledger_does_not_verify",
    severity: "critical",
    when: "the last verification of a chain found a failure",
    find: (facts) =>
      facts.chainsWithFailure === 0
        ? null
        : {
            message: `The last verification found a failure in ${counted(facts.chainsWithFailure, "chain")}. Records may have been changed.`,
            remedy: `Keep the data directory as it is, make a copy of it, and run: ${commandFor(facts, "audit verify")}`,
          },
  },
  {
    code: "checkpoint_too_old",
    severity: "warning",
    when: "records are older than one hour, and no checkpoint covers them",
    find: ({ contents, at }) =>
      contents === null ||
      contents.oldestUnsignedAt === null ||
      at - contents.oldestUnsignedAt <= unsignedAgeMaxMs
        ? null
        : {
            message: `${counted(contents.unsignedRecords, "record")} are not covered by a signed checkpoint, the oldest one since ${toTimestamp(contents.oldestUnsignedAt)}.`,
            remedy: `Checkpoints are signed every few minutes; the log has the reason why this one was not. ${logRemedy}`,
          },
  },
  {
    code: "checkpoint_not_confirmed",
    severity: "warning",
    when: "a checkpoint has waited for a witness or a time stamp authority for one hour",
    find(facts) {
      const late = (facts.confirmations ?? []).flatMap(({ name, waitingSince: since }) =>
        since !== null && facts.at - since > unconfirmedAgeMaxMs ? `${name} since ${toTimestamp(since)}` : [],
      );
      if (late.length === 0) return null;
      return {
        message: `Checkpoints wait for ${late.join(", ")}.`,
        remedy: `Find the cause with: ${commandFor(facts, "doctor")}`,
      };
    },
  },
];
