// Owns what verification needs of signed texts: key files, checkpoints with their signatures checked, files of notes. Must never
// read a file.

import { type Checkpoint, parseCheckpoint } from "../checkpoint.ts";
import { isVerifierKey, openNote, splitNotes } from "../signed-note.ts";
import { UnusableInput } from "./verdict.ts";

/** Checks signatures with the keys of one key file. */
export interface NoteReader {
  /** The text of a note, or null when none of the keys signed it. */
  open(note: string): string | null;
}

/** @param source how a person finds the keys. @throws UnusableInput */
export function readKeys(file: string, source: string): readonly string[] {
  const lines = file.split("\n").map((line) => line.trim());
  const keys = lines.filter((line) => line !== "");
  if (keys.length === 0 || !keys.every(isVerifierKey)) {
    throw new UnusableInput(
      `${source} is no verifier key. It must hold a line such as memledger+4e81dd32+AVnJ...`,
    );
  }
  return keys;
}

/** Remembers what it has opened: the same checkpoints lie in the database and beside it. */
export function createNoteReader(keys: readonly string[]): NoteReader {
  const opened = new Map<string, string | null>();
  const open = (note: string): string | null => {
    for (const key of keys) {
      const text = openNote(note, key);
      if (text !== null) return text;
    }
    return null;
  };
  return {
    open(note) {
      const known = opened.get(note);
      if (known !== undefined) return known;
      const text = open(note);
      opened.set(note, text);
      return text;
    },
  };
}

export interface NotesFile {
  readonly checkpoints: readonly Checkpoint[];
  /** Notes that no key signed, or that are no checkpoints. */
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
