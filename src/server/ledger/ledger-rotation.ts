// Owns the files of a change of the signing key: the statements, and the recovery of an interrupted change. The database decides
// whether the change is completed or undone. The previous private key is deleted.

import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { openRotation } from "../../audit/key-rotation.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { syncFolder, writeWhole } from "../../platform/files/durable.ts";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";
import { findSigningKey, ownKeyPath } from "./ledger-files.ts";

/** Path of the file of statements, oldest first. Auditors copy it beside the exports that they verify. */
export function rotationsPath(root: string): string {
  return join(root, "audit.rotations");
}

/** The statements in a file; empty when the file does not exist. */
export function readRotations(path: string): readonly string[] {
  return existsSync(path) ? splitNotes(readRegularText(path, evidenceFileMaxBytes)) : [];
}

/** The previous keys of `verifierKey`, newest first, according to the statements beside the database. */
export function previousKeys(root: string, verifierKey: string): readonly string[] {
  const statements = readRotations(rotationsPath(root)).map(openRotation);
  const bySuccessor = Map.groupBy(statements, (statement) => statement?.successor);
  const keys = new Set([verifierKey]);
  // The iteration includes keys that are added to the set.
  for (const key of keys) {
    for (const statement of bySuccessor.get(key) ?? []) if (statement !== null) keys.add(statement.former);
  }
  return [...keys].slice(1);
}

interface PreparedRotation {
  readonly statement: string;
  /** The new private key if it is stored in the data directory; null if it is in another file. */
  readonly ownKey: string | null;
}

/** Writes the new files beside the files in use. Nothing has changed until the database contains the new key. */
export function prepareRotation(root: string, { statement, ownKey }: PreparedRotation): void {
  const { key, rotations } = newPaths(root);
  if (ownKey !== null) writeWhole(key, ownKey);
  const statements = [...readRotations(rotationsPath(root)), statement];
  // Written last: its existence means that the other file is complete.
  writeWhole(rotations, statements.map((note) => `${note}\n`).join(""));
}

/** Completes a prepared change if the key in use is the new one, otherwise undoes it. Does nothing if no change was prepared. */
export function settleRotation(root: string, keyInUse: string | null): void {
  const { key, rotations } = newPaths(root);
  const rotation = openRotation(readRotations(rotations).at(-1) ?? "");
  if (rotation === null || rotation.successor !== keyInUse) {
    for (const path of [rotations, key]) rmSync(path, { force: true });
    return;
  }
  if (existsSync(key)) renameAndSync(key, ownKeyPath(root));
  else if (findOwnKey(root) === rotation.former) rmSync(ownKeyPath(root));
  renameAndSync(rotations, rotationsPath(root));
}

function newPaths(root: string) {
  return { key: `${ownKeyPath(root)}.new`, rotations: `${rotationsPath(root)}.new` };
}

/** Also null for a key that cannot be read: it must not be deleted. */
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
