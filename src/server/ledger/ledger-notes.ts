// Owns reading the checkpoint files beside the database, and moving files to a separate folder. Must never change or delete a note.

import { existsSync, globSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";
import { parseAnyCheckpoint } from "../../audit/checkpoint.ts";
import { openNote } from "../../audit/signed-note.ts";
import { splitNotes, textOfNote } from "../../audit/verify/note.ts";
import type { PublishedState } from "../../calls/storage/stored-ledger.ts";
import { makeFolder, syncFolder } from "../../platform/files/durable.ts";
import { withRegularFile } from "../../platform/files/regular-file.ts";
import { notesFolder } from "./ledger-files.ts";

export type PublishedCheckpoint = PublishedState & {
  /** The checkpoint as it is in the file. */
  readonly note: string;
  /** Name of the file in the folder of checkpoints. */
  readonly file: string;
};

/**
 * The newest checkpoint of each file; of version 2, the largest one of its log among the last ones.
 * @param keys Notes that none of these keys has signed are ignored; null: signatures are not checked
 */
export function readNewestCheckpoints(root: string, keys: readonly string[] | null): PublishedCheckpoint[] {
  const folder = notesFolder(root);
  const files = globSync("*.notes", { cwd: folder }).toSorted();
  return files.flatMap((file) => newestOf(readEnd(join(folder, file)), keys, file) ?? []);
}

/** Moves the existing files of `names` from `root` to a new folder below it. A power loss loses no file. */
export function moveFiles(root: string, names: readonly string[], folder: string): void {
  makeFolder(folder);
  for (const name of names) {
    if (!existsSync(join(root, name))) continue;
    renameSync(join(root, name), join(folder, name));
    syncFolder(folder);
    syncFolder(root);
  }
}

function newestOf(text: string, keys: readonly string[] | null, file: string): PublishedCheckpoint | null {
  let newest: PublishedCheckpoint | null = null;
  for (const note of splitNotes(text).toReversed()) {
    const checkpoint = parseAnyCheckpoint(textOfNote(note));
    if (checkpoint === null || (newest !== null && !isLarger(checkpoint, newest))) continue;
    if (keys === null || keys.some((key) => openNote(note, key) !== null))
      newest = { ...checkpoint, note, file };
  }
  return newest;
}

/** Of the same log: an export of early records has signed fewer later. */
function isLarger(checkpoint: PublishedState, newest: PublishedState): boolean {
  return (
    "leaves" in checkpoint &&
    "leaves" in newest &&
    checkpoint.log === newest.log &&
    checkpoint.leaves > newest.leaves
  );
}

/** Enough for hundreds of notes. */
const endBytes = 64 * 1024;

function readEnd(path: string): string {
  return withRegularFile(path, (file, bytes) => {
    const end = Buffer.alloc(Math.min(bytes, endBytes));
    readSync(file, end, 0, end.length, bytes - end.length);
    return end.toString();
  });
}
