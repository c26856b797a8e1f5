// Owns what the main thread asks the thread of the writer, and what it is answered.

import type { SettledCall } from "../../../calls/storage/after-commit.ts";
import type { StoredDeposit } from "../../../calls/storage/deposit-store.ts";
import type { ExportChange } from "../../../calls/storage/export-store.ts";
import type { EmbeddedContent, ModelChange } from "../../../calls/storage/model-change-store.ts";
import type { OpenExchange } from "../../../calls/storage/open-exchange.ts";
import type { QueueChange } from "../../../calls/storage/remember-store.ts";
import type { GroupStatistics } from "../../../calls/storage/statistics.ts";
import type { NewAttestation } from "../ledger/attestations.ts";
import type { RetentionOutcome } from "../retention/retention-runs.ts";
import type { CallMessage } from "./call-messages.ts";
import type { ErasedTextStep } from "./erased-text.ts";
import type { WriteState } from "./write-check.ts";

export type WriterRequest =
  | { readonly settle: readonly CallMessage[] }
  | { readonly exported: ExportChange }
  /** Answered with whether a task was changed. */
  | { readonly queued: QueueChange }
  /** Answered with a ErasedTextStep. */
  | { readonly eraseThrough: number | null }
  /** Answered with whether it was stored. */
  | { readonly attested: NewAttestation }
  | { readonly deposited: StoredDeposit }
  | { readonly opened: readonly OpenExchange[] }
  | { readonly recordLeft: true }
  | { readonly vectors: readonly EmbeddedContent[]; readonly change: ModelChange }
  | { readonly modelChangeFailure: string; readonly change: ModelChange }
  /** Answered with GroupStatistics. */
  | { readonly statistics: true }
  /** Answered with a WriteState. */
  | { readonly check: { readonly isSuspect: boolean } }
  /** Answered with the number of the retention run. */
  | { readonly retention: "start" }
  /** Answered with its RetentionOutcome. */
  | { readonly retention: number };

export type WriterAnswer =
  | WriterReply
  | ErasedTextStep
  | WriteState
  | RetentionOutcome
  | GroupStatistics
  | number
  | boolean;

/** One per call, in order. */
export type WriterReply = readonly SettledCall[];
