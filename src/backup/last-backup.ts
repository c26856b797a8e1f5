// Owns what is known about the backups of a data directory: the last one, and the last failure. It is a small file in the data directory,
// because the server, its threads and the commands make backups, and a restart must not forget them. Must never make a backup.

import { join } from "node:path";
import { writeWhole } from "../files/durable.ts";
import { readRegularText } from "../files/regular-file.ts";
import { isObject, type Json, readJson } from "../json/json.ts";

export interface LastBackup {
  /** When its copy of the database was begun, milliseconds since 1970. */
  readonly atMs: number;
  /** Size of the file. */
  readonly bytes: number;
  /** Absolute path at that time; it may have been moved since. */
  readonly path: string;
}

export interface BackupFailure {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** One or more sentences that say what to do. */
  readonly message: string;
}

export interface BackupState {
  /** The last backup that was completed, by a command or by the schedule; null: there was none. */
  readonly last: LastBackup | null;
  /** The last scheduled backup that failed, if none was completed after it; null: there is no such failure. */
  readonly failure: BackupFailure | null;
}

/** Never throws: a file that cannot be read is as none, because backups must not keep a server from running. */
export function readBackupState(dataDir: string): BackupState {
  const state = readState(statePath(dataDir));
  return isObject(state) ? { last: toLast(state.last), failure: toFailure(state.failure) } : nothing;
}

/** A completed backup ends the failure. @throws errors of the file system */
export function rememberBackup(dataDir: string, last: LastBackup): void {
  writeState(dataDir, { last, failure: null });
}

/** @throws errors of the file system */
export function rememberFailure(dataDir: string, failure: BackupFailure): void {
  writeState(dataDir, { ...readBackupState(dataDir), failure });
}

const nothing: BackupState = { last: null, failure: null };
const stateMaxBytes = 64 * 1024;

function statePath(dataDir: string): string {
  return join(dataDir, "memledger.backup");
}

function readState(path: string): Json | undefined {
  try {
    return readJson(readRegularText(path, stateMaxBytes));
  } catch {
    return undefined;
  }
}

function writeState(dataDir: string, { last, failure }: BackupState): void {
  const text = JSON.stringify({
    last: last === null ? null : { at_ms: last.atMs, bytes: last.bytes, path: last.path },
    failure: failure === null ? null : { at_ms: failure.atMs, message: failure.message },
  });
  writeWhole(statePath(dataDir), `${text}\n`);
}

function toLast(value: Json | undefined): LastBackup | null {
  if (!isObject(value)) return null;
  const { at_ms, bytes, path } = value;
  const isWhole = typeof at_ms === "number" && typeof bytes === "number" && typeof path === "string";
  return isWhole ? { atMs: at_ms, bytes, path } : null;
}

function toFailure(value: Json | undefined): BackupFailure | null {
  if (!isObject(value)) return null;
  const { at_ms, message } = value;
  return typeof at_ms === "number" && typeof message === "string" ? { atMs: at_ms, message } : null;
}
