// Ensures that no record holds a text that was erased before the record: what the first half of a call has read is compared in
// the transaction with the erasures that were committed since. Must never read a text itself.

import { unavailable } from "../platform/errors.ts";
import { type Refused, toRefusalAnswer } from "./contract/answer.ts";
import type { Call } from "./contract/call.ts";
import type { SettledCall } from "./storage/after-commit.ts";
import type { AuditReader } from "./storage/ledger-store.ts";
import type { Transaction } from "./storage/store.ts";

/** For one preparation of a call. */
export interface ErasureWatch {
  /** Call it before anything is read that the record may contain. @throws Refusal 1503 when the database cannot be read */
  begin(): Promise<void>;
  /** AuditReader.erasures when the watch began; undefined: it has not begun, so nothing was read that the record may contain. */
  readonly erasures: string | undefined;
}

/** @param project whose call it is, an id; null: the installation */
export function createErasureWatch(
  audit: Pick<AuditReader, "erasures">,
  project: string | null,
): ErasureWatch {
  let erasures: string | undefined;
  return {
    async begin() {
      erasures ??= await audit.erasures(project);
    },
    get erasures() {
      return erasures;
    },
  };
}

/** Whether something was erased after the call was prepared. Needs the lock of the call's chain. */
export async function isOutdated({ audit }: Transaction, { project, decision }: Call): Promise<boolean> {
  const { erasures } = decision;
  return erasures !== undefined && erasures !== (await audit.erasures(project ?? null));
}

const { code, message, data, retryAfterSeconds } = unavailable(
  "Records were erased while this call was performed. Its result may contain erased text, so it was discarded. Send the call again.",
);

/** The refusal of a call that is not prepared again. Plain data, because it travels between threads. */
export const outdated: Refused = { code, message, data, retryAfterSeconds };

/** Nothing of the call has happened, and it has no record. */
export const settledOutdated: SettledCall = {
  answer: { ...toRefusalAnswer(outdated), outdatedBy: "erasure" },
  after: [],
};
