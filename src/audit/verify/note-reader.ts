// Owns the verification of signed notes: key files, signatures with any of their keys, and files of checkpoints. Must never read a file.

import { type Checkpoint, parseCheckpoint, parseTreeCheckpoint, type TreeCheckpoint } from "../checkpoint.ts";
import type { Cryptography } from "./cryptography.ts";
import { type OpenedNote, openSignedNote, parseVerifierKey, splitNotes } from "./note.ts";
import { UnusableInput } from "./verdict.ts";

/** Verifies signatures with the keys of one key file. */
export interface NoteReader {
  /** The text of a note; null when none of the keys has signed it. */
  open(note: string): string | null;
  /** The verifier keys that have signed a note; none when it is not opened. */
  signersOf(note: string): readonly string[];
  /** Whether the previous key has signed that this one succeeds it. */
  isSuccessor(key: string, former: string): boolean;
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

/** Both are verifier keys. */
export interface Succession {
  readonly former: string;
  readonly successor: string;
}

/**
 * Caches the results: the same checkpoints are in the database and in files.
 * @param resultsMax how many results are kept; a reader that is used as long as a server runs needs a limit
 */
export function createNoteReader(
  keys: readonly string[],
  cryptography: Cryptography,
  resultsMax = Number.POSITIVE_INFINITY,
  successions: readonly Succession[] = [],
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
    isSuccessor: (key, former) => successions.some((one) => one.former === former && one.successor === key),
  };
}

/** A checkpoint of version 2, with the keys that have signed it. */
export interface SignedRoot extends TreeCheckpoint {
  readonly signers: readonly string[];
  /** With the lines of witnesses; absent where nobody asks for them. */
  readonly note?: string;
}

interface NotesFile {
  readonly checkpoints: readonly Checkpoint[];
  /** Of version 2. */
  readonly roots: readonly SignedRoot[];
  /** Number of notes that none of the keys has signed, or that are not checkpoints. */
  readonly refused: number;
}

export function readNotes(file: string, reader: NoteReader): NotesFile {
  return checkNotes(splitNotes(file), reader);
}

export function checkNotes(notes: readonly string[], reader: NoteReader): NotesFile {
  const checkpoints: Checkpoint[] = [];
  const roots: SignedRoot[] = [];
  for (const note of notes) {
    const text = reader.open(note);
    const checkpoint = text === null ? null : parseCheckpoint(text);
    const root = text === null ? null : parseTreeCheckpoint(text);
    if (checkpoint !== null) checkpoints.push(checkpoint);
    if (root !== null) roots.push({ ...root, signers: reader.signersOf(note), note });
  }
  return { checkpoints, roots, refused: notes.length - checkpoints.length - roots.length };
}

export const signedTooLate = "a previous key has signed a checkpoint after it was changed";

/**
 * Whether a key that was changed has signed this alone after the change: a checkpoint of the same log with fewer leaves has valid signatures of this
 * key and of its successor. Then it counts as not signed.
 */
export function isSignedTooLate(
  { chain, log, leaves, signers }: SignedRoot,
  all: readonly SignedRoot[],
  reader: NoteReader,
): boolean {
  return signers.every((former) =>
    all.some(
      (other) =>
        other.chain === chain &&
        other.log === log &&
        other.leaves < leaves &&
        other.signers.includes(former) &&
        other.signers.some((key) => reader.isSuccessor(key, former)),
    ),
  );
}
