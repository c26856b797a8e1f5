// Owns the recovery of notes that are missing in checkpoint files or in audit.rotations, from the database. It only appends: the content
// of a file may be evidence.

import { join } from "node:path";
import { openRotation } from "../../audit/key-rotation.ts";
import { createNoteAppender } from "../../audit/note-file.ts";
import type { StoredLedger } from "../../calls/storage/stored-ledger.ts";
import { notesFolder } from "./ledger-files.ts";
import { readNewestCheckpoints } from "./ledger-notes.ts";
import { readRotations, rotationsPath } from "./ledger-rotation.ts";

interface LostNotes {
  readonly path: string;
  /** Oldest first, the order in which they are appended. */
  readonly notes: readonly string[];
}

/** The files that lack notes of the database. Only notes after the newest note of each file are searched for. */
export async function findLostNotes(
  ledger: StoredLedger,
  root: string,
  keys: readonly string[],
): Promise<readonly LostNotes[]> {
  const published = readNewestCheckpoints(root, keys);
  const byChain = Map.groupBy(await ledger.findNewerCheckpoints(published), ({ chain }) => chain);
  const lost = [...byChain].map(([chain, checkpoints]) => ({
    path: join(notesFolder(root), `${chain}.notes`),
    notes: checkpoints.map(({ note }) => note),
  }));
  const path = rotationsPath(root);
  const known = new Set(readRotations(path).map(identify));
  const recorded = await ledger.findRotations();
  const statements = recorded.filter((statement) => !known.has(identify(statement)));
  return statements.length === 0 ? lost : [...lost, { path, notes: statements }];
}

export function restoreLostNotes(lost: readonly LostNotes[]): void {
  const append = createNoteAppender();
  for (const { path, notes } of lost) for (const note of notes) append(path, note);
}

function identify(statement: string): string {
  const rotation = openRotation(statement);
  return rotation === null ? statement.trim() : `${rotation.former} ${rotation.successor}`;
}
