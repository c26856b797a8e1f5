// Owns the files of a change of the signing key: the statements, and what must be finished or undone when it was cut short. The
// database decides which of the two; the former private key is not kept.

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openRotation } from "../audit/key-rotation.ts";
import { splitNotes } from "../audit/signed-note.ts";
import { syncFolder, writeWhole } from "../files/durable.ts";
import { readRegularText } from "../files/regular-file.ts";
import { evidenceFileMaxBytes } from "../limits.ts";
import { findSigningKey, ownKeyPath } from "./ledger-files.ts";

/** The file of statements, oldest first; beside a database, and beside exports that an auditor verifies. */
export function rotationsPath(root: string): string {
  return join(root, "audit.rotations");
}

/** The statements in a file; empty when there is none. */
export function readRotations(path: string): readonly string[] {
  return existsSync(path) ? splitNotes(readRegularText(path, evidenceFileMaxBytes)) : [];
}

/** The keys that signed before this one, newest first, as the statements beside the database say. */
export function formerKeys(root: string, verifierKey: string): readonly string[] {
  const statements = readRotations(rotationsPath(root)).map(openRotation);
  const bySuccessor = Map.groupBy(statements, (statement) => statement?.successor);
  const keys = new Set([verifierKey]);
  // A set that grows is visited to its end.
  for (const key of keys) {
    for (const statement of bySuccessor.get(key) ?? []) if (statement !== null) keys.add(statement.former);
  }
  return [...keys].slice(1);
}

export interface PlannedRotation {
  readonly statement: string;
  /** The new private key, when it is to be kept in the data directory; null when it stays in a file elsewhere. */
  readonly ownKey: string | null;
}

/** Writes what the change needs beside the files that are in use. Until the database knows the new key, nothing has changed. */
export function planRotation(root: string, { statement, ownKey }: PlannedRotation): void {
  const { key, rotations } = plannedPaths(root);
  if (ownKey !== null) writeWhole(key, ownKey);
  const statements = [...readRotations(rotationsPath(root)), statement];
  // Last: it says that the rest is complete.
  writeWhole(rotations, statements.map((note) => `${note}\n`).join(""));
}

/** Finishes the planned change when the key in use is the new one, otherwise undoes it. Does nothing when none was planned. */
export function settleRotation(root: string, keyInUse: string | null): void {
  const { key, rotations } = plannedPaths(root);
  const rotation = openRotation(readRotations(rotations).at(-1) ?? "");
  if (rotation === null || rotation.successor !== keyInUse) {
    for (const path of [rotations, key]) rmSync(path, { force: true });
    return;
  }
  if (existsSync(key)) renameAndSync(key, ownKeyPath(root));
  else if (findOwnKey(root) === rotation.former) rmSync(ownKeyPath(root));
  renameAndSync(rotations, rotationsPath(root));
}

function plannedPaths(root: string) {
  return { key: `${ownKeyPath(root)}.new`, rotations: `${rotationsPath(root)}.new` };
}

/** Null also for a key that cannot be read: it is not ours to remove then. */
function findOwnKey(root: string): string | null {
  try {
    return findSigningKey(root, null)?.verifierKey ?? null;
  } catch {
    return null;
  }
}

function renameAndSync(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}
