// Owns the search for the files of a verification: the database or export, the public keys, the checkpoints beside it and the external
// ones. Must never write a file, and never treat a checkpoint that is stored beside the database as an external one.

import { existsSync, globSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FollowedRotations, followRotations, type KeyRotation } from "../audit/key-rotation.ts";
import { isVerifierKey, signerId, splitNotes } from "../audit/signed-note.ts";
import type { KnownCheckpoint } from "../audit/verify/chain-verification.ts";
import {
  checkNotes,
  createNoteReader,
  type NoteReader,
  readKeys,
  readNotes,
} from "../audit/verify/note-reader.ts";
import { parseSuppliedNotes } from "../audit/verify/supplied-notes.ts";
import { type Failure, UnusableInput } from "../audit/verify/verdict.ts";
import { locate } from "../data-directory/data-directory.ts";
import { rotationsPath } from "../data-directory/ledger-rotation.ts";
import { readRegularText, UnfitFile, withRegularFile } from "../files/regular-file.ts";
import { explainSystemError } from "../files/system-error.ts";
import { evidenceFileMaxBytes } from "../limits.ts";
import { counted } from "../text/plural.ts";
import { toTimestamp } from "../timestamp.ts";

export type Subject =
  | { readonly kind: "database"; readonly path: string }
  | { readonly kind: "export"; readonly path: string; readonly manifest: string };

/** Finds out what a path is: a data directory, a database, an export, or the manifest of an export. @throws UnusableInput */
export function findSubject(path: string): Subject {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UnusableInput(`${path} does not exist. Correct the path.`);
  if (stat.isDirectory()) {
    const { database } = locate(path);
    if (orUnusable(database, () => statSync(database, { throwIfNoEntry: false })) !== undefined)
      return { kind: "database", path: database };
    throw new UnusableInput(
      `There is no memledger database in ${path}. Give the path of a database, a data directory or an export.`,
    );
  }
  if (path.endsWith(manifestSuffix)) return findSubject(path.slice(0, -manifestSuffix.length));
  const manifest = path + manifestSuffix;
  if (existsSync(manifest)) return { kind: "export", path, manifest };
  if (/\.(json|csv)$/i.test(path)) {
    throw new UnusableInput(
      `${manifest} does not exist. An export is verified with its manifest: copy the manifest to this path.`,
    );
  }
  return { kind: "database", path };
}

const manifestSuffix = ".manifest";

export interface Evidence {
  /** Null: there is no public key. */
  readonly reader: NoteReader | null;
  readonly keys: readonly string[];
  /** Where the public keys come from, for the output. */
  readonly keySource: string;
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  /** How valid signatures may fail the check although no record was changed; null: no such reason is known. */
  readonly keyAdvice: string | null;
}

interface EvidenceOptions {
  readonly publicKey: string | null;
  readonly checkpoints: readonly string[];
}

/** @throws UnusableInput */
export function gatherEvidence(subject: Subject, options: EvidenceOptions): Evidence {
  const { keys: givenKeys, keySource, isBeside } = findKeys(subject, options.publicKey);
  const { keys, ...rotations } = followRotations(givenKeys, readRotationsBeside(subject));
  const reader = keys.length === 0 ? null : createNoteReader(keys);
  const remarks = describeRotations(rotations, keys);
  if (isBeside) {
    remarks.push(
      `The public key was read from ${keySource}. Anyone who can write to this folder can replace the key and sign again. For a check against them, give a copy of the key that was kept elsewhere: --public-key FILE.`,
    );
  }
  const outside = options.checkpoints.map((file) => ({ file, text: readText(file) }));
  if (reader === null && outside.length > 0)
    throw new UnusableInput("A checkpoint cannot be checked without the public key. Add --public-key FILE.");
  const beside = reader === null ? [] : readBeside(subject, reader, remarks);
  const given =
    reader === null ? [] : outside.map(({ file, text }) => readGiven(file, text, { reader, keys, remarks }));
  const refused = given.find(({ failure }) => failure !== null)?.failure ?? null;
  const checkpoints = [...beside, ...given.flatMap((file) => file.checkpoints)];
  return {
    reader,
    keys,
    keySource,
    checkpoints,
    refusedOutside: refused,
    remarks,
    keyAdvice: isBeside ? null : adviseOnKey(subject, rotations, keys),
  };
}

/** The statements about changes of the key. A key is trusted only if a statement about it is signed by the former key. */
function readRotationsBeside(subject: Subject): readonly string[] {
  const file = foldersOf(subject)
    .map(rotationsPath)
    .find((path) => existsSync(path));
  return file === undefined ? [] : splitNotes(readText(file));
}

function describeRotations(
  { confirmed, unconfirmed }: Pick<FollowedRotations, "confirmed" | "unconfirmed">,
  keys: readonly string[],
): string[] {
  const when = ({ at }: KeyRotation) => toTimestamp(at);
  return [
    ...confirmed.map(
      (rotation) =>
        `The key ${nameOf(rotation.former)} was changed to ${nameOf(rotation.successor)} at ${when(rotation)}. The former key has signed the change.`,
    ),
    ...unconfirmed.map((rotation) => {
      const change = `The key ${nameOf(rotation.former)} was changed to ${nameOf(rotation.successor)} at ${when(rotation)}. The former key has not signed the change`;
      return keys.includes(rotation.successor)
        ? `${change}: make sure that you received the new key from a source that you trust.`
        : `${change}, so the new key is not trusted. Get the new public key from the operator in a way that you trust, and give both keys in one file with --public-key.`;
    }),
  ];
}

function adviseOnKey(
  subject: Subject,
  { unconfirmed }: Pick<FollowedRotations, "unconfirmed">,
  keys: readonly string[],
): string | null {
  if (unconfirmed.some(({ successor }) => !keys.includes(successor))) {
    return "The key of this ledger was changed, and the former key, which was lost, has not signed the change. The public key given is the former one: it cannot verify signatures of the new key. Get the new public key from the operator in a way that you trust, and give both keys in one file with --public-key.";
  }
  const hasRotations = foldersOf(subject)
    .map(rotationsPath)
    .some((path) => existsSync(path));
  return hasRotations
    ? null
    : "There is no file audit.rotations beside the database or export. If the key of this ledger was changed after you received the public key, copy audit.rotations from the data directory to this folder, or get the new public key in a way that you trust.";
}

/** Only name and id, so that nobody copies a public key from this output. */
function nameOf(verifierKey: string): string {
  return verifierKey.split("+").slice(0, 2).join("+");
}

/** Folders that may contain files that belong to the subject. */
function foldersOf({ kind, path }: Subject): readonly string[] {
  const folder = dirname(path);
  return kind === "export" ? [folder, dirname(folder)] : [folder];
}

function findKeys(
  subject: Subject,
  publicKey: string | null,
): { keys: readonly string[]; keySource: string; isBeside: boolean } {
  if (publicKey !== null)
    return { keys: readKeys(readText(publicKey), publicKey), keySource: publicKey, isBeside: false };
  const file = foldersOf(subject)
    .map((folder) => join(folder, "audit.pub"))
    .find((path) => existsSync(path));
  if (file !== undefined) return { keys: readKeys(readText(file), file), keySource: file, isBeside: true };
  if (subject.kind === "database") return { keys: [], keySource: "none", isBeside: false };
  throw new UnusableInput(
    "No public key was given or found, so the signature of the manifest cannot be checked. Add --public-key FILE.",
  );
}

/** The notes that the server keeps beside its database. Notes that none of the keys has signed are ignored, with a remark. */
function readBeside(subject: Subject, reader: NoteReader, remarks: string[]): KnownCheckpoint[] {
  if (subject.kind === "export") return [];
  const folder = join(dirname(subject.path), "checkpoints");
  return globSync("*.notes", { cwd: folder })
    .toSorted()
    .flatMap((name) => {
      const { checkpoints, refused } = readNotes(readText(join(folder, name)), reader);
      if (refused > 0)
        remarks.push(`Ignored ${counted(refused, "note")} in ${join(folder, name)}: not signed by this key.`);
      return checkpoints.map((checkpoint) => ({
        ...checkpoint,
        isOutside: false,
        isSigned: true,
        source: `checkpoints/${name}`,
      }));
    });
}

function readGiven(
  file: string,
  text: string,
  { reader, keys, remarks }: { reader: NoteReader; keys: readonly string[]; remarks: string[] },
): { checkpoints: KnownCheckpoint[]; failure: Failure | null } {
  const { notes, ignored } = parseSuppliedNotes(text);
  if (notes.length === 0) throw new UnusableInput(noCheckpoint(file, text));
  if (ignored > 0)
    remarks.push(
      `Ignored ${counted(ignored, "text")} in ${file}: not in the format of a checkpoint, such as a note that was cut off by a crash.`,
    );
  const refused = notes.find((note) => reader.open(note) === null);
  return {
    checkpoints: checkNotes(notes, reader).checkpoints.map((checkpoint) => ({
      ...checkpoint,
      isOutside: true,
      isSigned: true,
      source: basename(file),
    })),
    failure:
      refused === undefined
        ? null
        : { seq: null, check: "signature", message: whyRefused(file, refused, keys) },
  };
}

function noCheckpoint(file: string, text: string): string {
  const isKey = text.split("\n").some(isVerifierKey);
  const expected =
    'Give a file with the unchanged output of "memledger audit checkpoint" (four lines, an empty line, a line with the signature) or the unchanged JSON answer of GET /v1/audit/checkpoint';
  return `${file} does not contain a checkpoint${isKey ? "; it contains a public key: use --public-key for it" : ""}. ${expected}. Nothing was verified.`;
}

function whyRefused(file: string, note: string, keys: readonly string[]): string {
  const signer = signerId(note);
  const known = keys.map(nameOf);
  return known.includes(signer)
    ? `the checkpoint in ${basename(file)} has an invalid signature of the key ${signer}: the checkpoint was changed after it was signed`
    : `the checkpoint in ${basename(file)} is signed with the key ${signer}, but the public key given is ${known.join(", ")}: it is a checkpoint of another installation, or the key was changed, or the checkpoint is forged`;
}

/** @throws UnusableInput when the file is not a regular file, is too large or cannot be read */
export function readText(path: string): string {
  return orUnusable(path, () => readRegularText(path, evidenceFileMaxBytes));
}

/** @throws UnusableInput when the path is not a regular file, or cannot be opened */
export function requireRegular(path: string): void {
  orUnusable(path, () => withRegularFile(path, () => undefined));
}

function orUnusable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof UnfitFile) throw new UnusableInput(cause.message, { cause });
    const found = explainSystemError(cause);
    const reason = found === null ? "." : `: ${found.cause}. ${found.remedy}`;
    throw new UnusableInput(`${path} cannot be read${reason}`, { cause });
  }
}
