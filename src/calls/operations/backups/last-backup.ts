// Owns what is known about the backups of a data directory: the last one, and the last failure. It is a small file in the data directory,
// because the server, its threads and the commands make backups, and a restart must not forget them. Must never make a backup.

import { join } from "node:path";
import { writeWhole } from "../../../platform/files/durable.ts";
import { readRegularText } from "../../../platform/files/regular-file.ts";
import { isObject, type Json, readJson } from "../../../platform/json/json.ts";

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

/** A folder of scheduled backups in which one was completed. */
export interface BackupFolder {
  readonly path: string;
  /** Whether it was on another disk than the data directory and the system. */
  readonly isOnOtherDisk: boolean;
}

export interface BackupState {
  /** The last backup that was completed, by a command or by the schedule; null: there was none. */
  readonly last: LastBackup | null;
  /** The last scheduled backup that failed, if none was completed after it; null: there is no such failure. */
  readonly failure: BackupFailure | null;
}

interface StoredState extends BackupState {
  readonly folder: BackupFolder | null;
}

/** Never throws: a file that cannot be read is as none, because backups must not keep a server from running. */
export function readBackupState(dataDir: string): BackupState {
  const { last, failure } = readStored(dataDir);
  return { last, failure };
}

/** Of the last scheduled backup; null: none was completed, or a previous version has made it. Never throws. */
export function readBackupFolder(dataDir: string): BackupFolder | null {
  return readStored(dataDir).folder;
}

/**
 * A completed backup ends the failure.
 * @param folder of a scheduled one
 * @throws errors of the file system
 */
export function rememberBackup(dataDir: string, last: LastBackup, folder?: BackupFolder): void {
  writeState(dataDir, { last, failure: null, folder: folder ?? readBackupFolder(dataDir) });
}

/** @throws errors of the file system */
export function rememberFailure(dataDir: string, failure: BackupFailure): void {
  writeState(dataDir, { ...readStored(dataDir), failure });
}

const nothing: StoredState = { last: null, failure: null, folder: null };
const stateMaxBytes = 64 * 1024;

function readStored(dataDir: string): StoredState {
  const state = readState(statePath(dataDir));
  return isObject(state)
    ? { last: toLast(state.last), failure: toFailure(state.failure), folder: toFolder(state.folder) }
    : nothing;
}

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

function writeState(dataDir: string, { last, failure, folder }: StoredState): void {
  const text = JSON.stringify({
    last: last === null ? null : { at_ms: last.atMs, bytes: last.bytes, path: last.path },
    failure: failure === null ? null : { at_ms: failure.atMs, message: failure.message },
    folder: folder === null ? null : { path: folder.path, is_on_other_disk: folder.isOnOtherDisk },
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

function toFolder(value: Json | undefined): BackupFolder | null {
  if (!isObject(value)) return null;
  const { path, is_on_other_disk } = value;
  const isWhole = typeof path === "string" && typeof is_on_other_disk === "boolean";
  return isWhole ? { path, isOnOtherDisk: is_on_other_disk } : null;
}
