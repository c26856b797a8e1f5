// Owns what a person supplies for a verification: public keys, statements about changes of the key, and checkpoints. Decides which keys are
// accepted, and what is said about a checkpoint that is not. Must never read a file.

import { counted } from "../../platform/text/plural.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { KnownCheckpoint, KnownRoot } from "./checkpoint-comparison.ts";
import type { Cryptography } from "./cryptography.ts";
import { nameOfKey, parseVerifierKey, signerId } from "./note.ts";
import { checkNotes, createNoteReader, type NoteReader } from "./note-reader.ts";
import { type FollowedRotations, followRotations, type KeyRotation } from "./rotations.ts";
import { parseSuppliedNotes } from "./supplied-notes.ts";
import { type Failure, UnusableInput } from "./verdict.ts";

/** How a person gives the inputs, as messages name them. */
export interface InputNames {
  /** Such as `--checkpoint FILE`. */
  readonly checkpoint: string;
  /** Such as `--public-key FILE`. */
  readonly publicKey: string;
}

export interface AcceptedKeys {
  /** The given keys, then their successors. */
  readonly keys: readonly string[];
  /** Null: there is no public key. */
  readonly reader: NoteReader | null;
  /** Whether a statement names a successor that the previous key has not signed. */
  readonly hasUnconfirmed: boolean;
  readonly remarks: readonly string[];
}

/** The given keys and the successors that statements about changes of the key (notes) name. */
export function acceptKeys(
  given: readonly string[],
  statements: readonly string[],
  names: InputNames,
  cryptography: Cryptography,
): AcceptedKeys {
  const { keys, ...rotations } = followRotations(given, statements, cryptography);
  return {
    keys,
    reader:
      keys.length === 0
        ? null
        : createNoteReader(keys, cryptography, Number.POSITIVE_INFINITY, rotations.successions),
    hasUnconfirmed: rotations.unconfirmed.some(({ successor }) => !keys.includes(successor)),
    remarks: describeRotations(rotations, keys, names),
  };
}

function describeRotations(
  { confirmed, unconfirmed }: Pick<FollowedRotations, "confirmed" | "unconfirmed">,
  keys: readonly string[],
  { publicKey }: InputNames,
): readonly string[] {
  const when = ({ at }: KeyRotation) => toTimestamp(at);
  return [
    ...confirmed.map(
      (rotation) =>
        `The key ${nameOfKey(rotation.former)} was changed to ${nameOfKey(rotation.successor)} at ${when(rotation)}. The previous key has signed the change.`,
    ),
    ...unconfirmed.map((rotation) => {
      const change = `The key ${nameOfKey(rotation.former)} was changed to ${nameOfKey(rotation.successor)} at ${when(rotation)}. The previous key has not signed the change`;
      return keys.includes(rotation.successor)
        ? `${change}: make sure that you received the new key from a source that you trust.`
        : `${change}, so the new key is not trusted. Get the new public key from the operator in a way that you trust, and give both keys with ${publicKey}.`;
    }),
  ];
}

/** A file that the person supplies as a checkpoint. */
export interface SuppliedFile {
  /** For messages: its path or name. */
  readonly name: string;
  readonly text: string;
}

export interface GivenCheckpoints {
  readonly checkpoints: readonly KnownCheckpoint[];
  /** Those of version 2. */
  readonly roots: readonly KnownRoot[];
  /** The first checkpoint that none of the keys has signed. */
  readonly failure: Failure | null;
  readonly remarks: readonly string[];
}

/** @throws UnusableInput when a file has no checkpoint */
export function readCheckpoints(
  files: readonly SuppliedFile[],
  { reader, keys }: { readonly reader: NoteReader; readonly keys: readonly string[] },
  names: InputNames,
  cryptography: Cryptography,
): GivenCheckpoints {
  const remarks: string[] = [];
  const given = files.map((file) => {
    const { notes, ignored } = parseSuppliedNotes(file.text);
    if (notes.length === 0) throw new UnusableInput(noCheckpoint(file, names, cryptography));
    if (ignored > 0)
      remarks.push(
        `Ignored ${counted(ignored, "text")} in ${file.name}: not in the format of a checkpoint, such as a note that was cut off by a crash.`,
      );
    return readNotesOf(file, notes, { reader, keys });
  });
  return {
    checkpoints: given.flatMap(({ checkpoints }) => checkpoints),
    roots: given.flatMap(({ roots }) => roots),
    failure: given.find(({ failure }) => failure !== null)?.failure ?? null,
    remarks,
  };
}

function readNotesOf(
  { name }: SuppliedFile,
  notes: readonly string[],
  { reader, keys }: { readonly reader: NoteReader; readonly keys: readonly string[] },
): Pick<GivenCheckpoints, "checkpoints" | "roots" | "failure"> {
  const refused = notes.find((note) => reader.open(note) === null);
  const source = name.split(/[\\/]/).at(-1) ?? name;
  const { checkpoints, roots } = checkNotes(notes, reader);
  return {
    checkpoints: checkpoints.map((one) => ({ ...one, isOutside: true, isSigned: true, source })),
    roots: roots.map((one) => ({ ...one, isOutside: true, source })),
    failure:
      refused === undefined
        ? null
        : { seq: null, check: "signature", message: whyRefused(source, refused, keys) },
  };
}

function noCheckpoint(
  { name, text }: SuppliedFile,
  { publicKey }: InputNames,
  cryptography: Cryptography,
): string {
  const isKey = text.split("\n").some((line) => parseVerifierKey(line, cryptography) !== null);
  const expected =
    'Give a file with the unchanged output of "memledger audit checkpoint" (three or four lines, an empty line, a line with the signature), the unchanged JSON answer of GET /v1/audit/checkpoint, or the receipt of a record';
  return `${name} does not contain a checkpoint${isKey ? `; it contains a public key: use ${publicKey} for it` : ""}. ${expected}. Nothing was verified.`;
}

function whyRefused(source: string, note: string, keys: readonly string[]): string {
  const signer = signerId(note);
  const known = keys.map(nameOfKey);
  return known.includes(signer)
    ? `the checkpoint in ${source} has an invalid signature of the key ${signer}: the checkpoint was changed after it was signed`
    : `the checkpoint in ${source} is signed with the key ${signer}, but the public key given is ${known.join(", ")}: it is a checkpoint of another installation, or the key was changed, or the checkpoint is forged`;
}
