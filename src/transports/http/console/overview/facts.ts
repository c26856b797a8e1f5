// Owns what the overview of an installation is made of: numbers and times that other parts know. Null: it is not known, or does not exist.

import type { BackupState } from "../../../../calls/operations/backups/last-backup.ts";
import type { NewestAttestation } from "../../../../calls/storage/attestation-store.ts";
import type { ModelChange } from "../../../../calls/storage/model-change-store.ts";
import type {
  DatabaseContents,
  DatabaseFiles,
  GroupStatistics,
  NearLimits,
  SearchStatistics,
} from "../../../../calls/storage/statistics.ts";
import type { MissCounts } from "../../../../gateway/memory-outcomes.ts";

/** Does not change while the server runs. */
export interface ServerFacts {
  readonly version: string;
  readonly commit: string;
  /** Absolute path. */
  readonly dataDir: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly searchIndexLimitBytes: number;
  /** Null: there are no scheduled backups. `everyMs`: time between two of them. */
  readonly backupSchedule: Readonly<{ folder: string; everyMs: number; keep: number | null }> | null;
}

/** Known in the main thread, read again for each state. */
export interface CurrentFacts {
  /** Of the database. */
  readonly format: number;
  readonly model: string;
  readonly extractor: string;
  readonly certificate: CertificateFacts | null;
  /** What the operator must know about the address, in sentences; null: nothing. */
  readonly addressWarning: string | null;
  readonly isAccessibleToOthers: boolean;
  /** Chains whose last verification found a failure. */
  readonly chainsWithFailure: number;
  readonly verifiedAt: number | null;
  /** Calls that were answered with an internal error in the last minutes. */
  readonly internalErrors: number;
  /** Requests of the gateway that did not get their memory in the last minutes. */
  readonly memoryMisses: MissCounts;
  /** The thread that was started again last, if that was in the last minutes. */
  readonly restartedThread: string | null;
}

export interface CertificateFacts {
  readonly name: string;
  readonly endsAt: number;
  /** A sentence without its full stop about a certificate that should be renewed. */
  readonly ending: string | null;
}

/** Each is asked from another thread, the disk or a check. */
export interface SlowFacts {
  readonly readiness: { readonly ready: boolean; readonly reasons: readonly string[] } | null;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null;
  readonly directory: DirectorySizes | null;
  readonly files: DatabaseFiles | null;
  readonly contents: DatabaseContents | null;
  readonly nearLimits: NearLimits | null;
  readonly groups: GroupStatistics | null;
  readonly searches: SearchStatistics | null;
  readonly backups: BackupState | null;
  readonly modelChange: ModelChange | null;
  readonly confirmations: readonly Confirmation[] | null;
}

/** Of one to whom checkpoints are sent. */
export interface Confirmation {
  /** `cosignature`: it is a witness; `timestamp`: a time stamp authority; `deposit`: a destination that keeps records. */
  readonly kind: string;
  readonly name: string;
  /** Chains whose newest checkpoint it does not have, and since when the oldest of these waits. */
  readonly waiting: number;
  readonly waitingSince: number | null;
  /** Why the last try has failed, and what to do; null: nothing has failed. */
  readonly failure: string | null;
  /** Null: nothing yet, or it states nothing. */
  readonly last: NewestAttestation | null;
}

/** Bytes of the files of the data directory. */
export interface DirectorySizes {
  readonly bytes: number;
  /** By name of the file or folder in the data directory. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface InstallationFacts extends ServerFacts, CurrentFacts, SlowFacts {
  /** When they were gathered, milliseconds since 1970. */
  readonly at: number;
}
