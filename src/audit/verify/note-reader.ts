// Owns the verification of signed notes: key files, signatures with any of their keys, and files of checkpoints. Must never read a file.

import { type Checkpoint, parseCheckpoint } from "../checkpoint.ts";
import type { Cryptography } from "./cryptography.ts";
import { type OpenedNote, openSignedNote, parseVerifierKey, splitNotes } from "./note.ts";
import { UnusableInput } from "./verdict.ts";

/** Verifies signatures with the keys of one key file. */
export interface NoteReader {
  /** The text of a note; null when none of the keys has signed it. */
  open(note: string): string | null;
  /** The verifier keys that have signed a note; none when it is not opened. */
  signersOf(note: string): readonly string[];
}

/** @param source where a person finds the keys. @throws UnusableInput */
export function readKeys(file: string, source: string, cryptography: Cryptography): readonly string[] {
  const lines = file.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "");
  if (keys.length === 0 || !keys.every((key) => parseVerifierKey(key, cryptography) !== null)) {
    throw new UnusableInput(
      `${source} is not a file of verifier keys. Give a file with a line such as memledger+4e81dd32+AVnJ...`,
    );
  }
  return keys;
}

/**
 * Caches the results: the same checkpoints are in the database and in files.
 * @param resultsMax how many results are kept; a reader that is used as long as a server runs needs a limit
 */
export function createNoteReader(
  keys: readonly string[],
  cryptography: Cryptography,
  resultsMax = Number.POSITIVE_INFINITY,
): NoteReader {
  const results = new Map<string, OpenedNote | null>();
  const resultOf = (note: string) => {
    const known = results.get(note);
    if (known !== undefined) return known;
    const opened = openSignedNote(note, keys, cryptography);
    results.set(note, opened);
    const [oldest] = results.keys();
    if (results.size > resultsMax && oldest !== undefined) results.delete(oldest);
    return opened;
  };
  return {
    open: (note) => resultOf(note)?.text ?? null,
    signersOf: (note) => resultOf(note)?.signers ?? [],
  };
}

interface NotesFile {
  readonly checkpoints: readonly Checkpoint[];
  /** Number of notes that none of the keys has signed, or that are not checkpoints. */
  readonly refused: number;
}

export function readNotes(file: string, reader: NoteReader): NotesFile {
  return checkNotes(splitNotes(file), reader);
}

export function checkNotes(notes: readonly string[], reader: NoteReader): NotesFile {
  const checkpoints = notes.flatMap((note) => {
    const text = reader.open(note);
    const checkpoint = text === null ? null : parseCheckpoint(text);
    return checkpoint === null ? [] : [checkpoint];
  });
  return { checkpoints, refused: notes.length - checkpoints.length };
}
