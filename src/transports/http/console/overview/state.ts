// Owns the state of the installation as clients see it: facts under the names of the API, and the warnings that follow from them.

import { toTimestamp } from "../../../../platform/time/timestamp.ts";
import type { Confirmation, InstallationFacts } from "./facts.ts";
import type { Warning } from "./warning.ts";
import { findWarnings } from "./warnings.ts";

/** Times are timestamps and no ages, so that a state changes only when something has. Null: not known, or there is none. */
export interface InstallationState {
  readonly health: { readonly ready: boolean; readonly reasons: readonly string[] } | null;
  readonly warnings: readonly Warning[];
  readonly server: Readonly<{
    version: string;
    commit: string;
    started_at: string;
    database_format: number;
    extractor: string;
    data_directory: string;
  }>;
  readonly contents: Readonly<{
    projects: number;
    memories: Readonly<Record<string, number>>;
    records: number;
    exports: Readonly<Record<string, number>>;
  }> | null;
  readonly storage: Readonly<{
    disk: Readonly<{ free_bytes: number; total_bytes: number }> | null;
    database: Readonly<{ bytes: number; log_bytes: number; free_bytes: number | null }> | null;
    directory: Readonly<{ bytes: number; parts: Readonly<Record<string, number>> }> | null;
  }>;
  readonly ledger: Readonly<{
    checkpoint_at: string | null;
    unsigned_records: number | null;
    oldest_unsigned_at: string | null;
    verified_at: string | null;
    failed_chains: number;
    confirmations: readonly ShownConfirmation[] | null;
  }>;
  readonly backup: Readonly<{
    last: Readonly<{ at: string; bytes: number; path: string }> | null;
    failure: Readonly<{ at: string; message: string }> | null;
    schedule: Readonly<{ folder: string; every_seconds: number; keep: number | null }> | null;
  }>;
  readonly tls: Readonly<{ name: string; expires_at: string }> | null;
  readonly model: Readonly<{
    id: string;
    change: Readonly<{ to: string; started_at: string; done: number; failure: string | null }> | null;
  }>;
  readonly search: Readonly<{ indexes: number; index_bytes: number; limit_bytes: number }>;
  readonly retention: Readonly<{ clock_ahead_seconds: number }> | null;
}

/** Of those to whom checkpoints are sent. Null: nothing was confirmed yet, nothing waits, nothing has failed. */
export type ShownConfirmation = Readonly<{
  kind: string;
  name: string;
  confirmed_records: number | null;
  confirmed_at: string | null;
  waiting: number;
  waiting_since: string | null;
  failure: string | null;
}>;

export function toConfirmation(confirmation: Confirmation): ShownConfirmation {
  const { kind, name, waiting, waitingSince, failure, last } = confirmation;
  return {
    kind,
    name,
    confirmed_records: last?.size ?? null,
    confirmed_at: timeOf(last?.at),
    waiting,
    waiting_since: timeOf(waitingSince),
    failure,
  };
}

export function toState(facts: InstallationFacts): InstallationState {
  const { contents, disk, directory, searches, certificate, groups } = facts;
  return {
    health: facts.readiness,
    warnings: findWarnings(facts),
    server: {
      version: facts.version,
      commit: facts.commit,
      started_at: toTimestamp(facts.startedAt),
      database_format: facts.format,
      extractor: facts.extractor,
      data_directory: facts.dataDir,
    },
    contents: contents === null ? null : toContents(contents),
    storage: {
      disk: disk === null ? null : { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
      database: toDatabase(facts),
      directory,
    },
    ledger: {
      checkpoint_at: timeOf(contents?.checkpointAt),
      unsigned_records: contents?.unsignedRecords ?? null,
      oldest_unsigned_at: timeOf(contents?.oldestUnsignedAt),
      verified_at: timeOf(facts.verifiedAt),
      failed_chains: facts.chainsWithFailure,
      confirmations: facts.confirmations?.map(toConfirmation) ?? null,
    },
    backup: toBackup(facts),
    tls:
      certificate === null ? null : { name: certificate.name, expires_at: toTimestamp(certificate.endsAt) },
    model: { id: facts.model, change: toChange(facts) },
    search: {
      indexes: searches?.indexes ?? 0,
      index_bytes: searches?.indexBytes ?? 0,
      limit_bytes: facts.searchIndexLimitBytes,
    },
    retention:
      groups === null ? null : { clock_ahead_seconds: Math.round(groups.retentionClockAheadMs / 1_000) },
  };
}

function timeOf(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : toTimestamp(ms);
}

function toContents({
  projects,
  memories,
  records,
  exports,
}: NonNullable<InstallationFacts["contents"]>): InstallationState["contents"] {
  return {
    projects,
    memories: Object.fromEntries(memories.map(({ type, memories: count }) => [type, count])),
    records,
    exports: Object.fromEntries(exports.map(({ status, exports: count }) => [status, count])),
  };
}

function toDatabase({ files, contents }: InstallationFacts): InstallationState["storage"]["database"] {
  if (files === null) return null;
  const { databaseBytes, logBytes } = files;
  return { bytes: databaseBytes, log_bytes: logBytes, free_bytes: contents?.freeBytes ?? null };
}

function toBackup({ backups, backupSchedule }: InstallationFacts): InstallationState["backup"] {
  const last = backups?.last ?? null;
  const failure = backups?.failure ?? null;
  return {
    last: last === null ? null : { at: toTimestamp(last.atMs), bytes: last.bytes, path: last.path },
    failure: failure === null ? null : { at: toTimestamp(failure.atMs), message: failure.message },
    schedule:
      backupSchedule === null
        ? null
        : {
            folder: backupSchedule.folder,
            every_seconds: backupSchedule.everyMs / 1_000,
            keep: backupSchedule.keep,
          },
  };
}

function toChange({ modelChange }: InstallationFacts): InstallationState["model"]["change"] {
  if (modelChange === null) return null;
  const { to, startedAt, done, failure } = modelChange;
  return { to: to.id, started_at: toTimestamp(startedAt), done, failure };
}
