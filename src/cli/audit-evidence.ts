// Owns finding the files of a verification: what is verified, the key, the checkpoints beside it and from elsewhere. Must never write
// one, and never lets a checkpoint from beside the ledger pass for one from outside.

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
import { toTimestamp } from "../clock.ts";
import { locate } from "../data-directory/data-directory.ts";
import { rotationsPath } from "../data-directory/ledger-rotation.ts";
import { readRegularText, UnfitFile, withRegularFile } from "../files/regular-file.ts";
import { explainSystemError } from "../files/system-error.ts";
import { evidenceFileMaxBytes } from "../limits.ts";
import { counted } from "../text/plural.ts";

export type Subject =
  | { readonly kind: "database"; readonly path: string }
  | { readonly kind: "export"; readonly path: string; readonly manifest: string };

/** What a path means: a data directory, a database, an export beside its manifest, or the manifest itself. @throws UnusableInput */
export function findSubject(path: string): Subject {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UnusableInput(`${path} does not exist.`);
  if (stat.isDirectory()) {
    const { database } = locate(path);
    if (existsSync(database)) return { kind: "database", path: database };
    throw new UnusableInput(
      `There is no memledger database in ${path}. Name a database, a data directory or an export.`,
    );
  }
  if (path.endsWith(manifestSuffix)) return findSubject(path.slice(0, -manifestSuffix.length));
  const manifest = path + manifestSuffix;
  if (existsSync(manifest)) return { kind: "export", path, manifest };
  if (/\.(json|csv)$/i.test(path)) {
    throw new UnusableInput(
      `${manifest} does not exist. Bring the manifest that belongs to the export; without it nothing is signed.`,
    );
  }
  return { kind: "database", path };
}

const manifestSuffix = ".manifest";

export interface Evidence {
  /** Null: there is no key. */
  readonly reader: NoteReader | null;
  readonly keys: readonly string[];
  /** For people. */
  readonly keySource: string;
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  /** Why signatures may not fit although nobody changed anything; null: no such reason is known. */
  readonly keyDoubt: string | null;
}

export interface EvidenceOptions {
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
      `The key was read from ${keySource}, beside what it verifies. Whoever can write there can replace it, so the signatures prove nothing against them: give a copy that was kept elsewhere with --public-key FILE.`,
    );
  }
  const outside = options.checkpoints.map((file) => ({ file, text: readText(file) }));
  if (reader === null && outside.length > 0)
    throw new UnusableInput("A checkpoint proves nothing without a key. Give it with --public-key FILE.");
  const beside = reader === null ? [] : readBeside(subject, reader, remarks);
  const given =
    reader === null ? [] : outside.map(({ file, text }) => readGiven(file, text, { reader, keys, remarks }));
  const refused = given.find(({ failure }) => failure !== null)?.failure ?? null;
  const checkpoints = [...beside, ...given.flatMap((file) => file.checkpoints)];
  return {
    ...{ reader, keys, keySource, checkpoints, refusedOutside: refused, remarks },
    keyDoubt: isBeside ? null : doubtKey(subject, rotations, keys),
  };
}

/** What the operator says about changes of the key; only what a former key has signed adds one. */
function readRotationsBeside(subject: Subject): readonly string[] {
  const file = besides(subject)
    .map(rotationsPath)
    .find((path) => existsSync(path));
  return file === undefined ? [] : splitNotes(readText(file));
}

function describeRotations(
  { attested, unattested }: Pick<FollowedRotations, "attested" | "unattested">,
  keys: readonly string[],
): string[] {
  const when = ({ at }: KeyRotation) => toTimestamp(at);
  return [
    ...attested.map(
      (rotation) =>
        `The key ${nameOf(rotation.former)} was changed to ${nameOf(rotation.successor)} at ${when(rotation)}; the former key attests it.`,
    ),
    ...unattested.map((rotation) => {
      const change = `The key ${nameOf(rotation.former)} was changed to ${nameOf(rotation.successor)} at ${when(rotation)}, without attestation by the former key`;
      return keys.includes(rotation.successor)
        ? `${change}: make sure that you got the new key in a way that you trust.`
        : `${change}: it is not believed. Get the new key from the operator in a way that you trust, and give both keys in one file with --public-key.`;
    }),
  ];
}

function doubtKey(
  subject: Subject,
  { unattested }: Pick<FollowedRotations, "unattested">,
  keys: readonly string[],
): string | null {
  if (unattested.some(({ successor }) => !keys.includes(successor))) {
    return "The key of this ledger was changed without the signature of the former key, because that one was lost, and the public key given is the former one. What the new key has signed cannot be verified with it. Get the new public key from the operator in a way that you trust, and give both keys in one file with --public-key.";
  }
  const hasRotations = besides(subject)
    .map(rotationsPath)
    .some((path) => existsSync(path));
  return hasRotations
    ? null
    : "There is no file audit.rotations beside it. If the key of this ledger was changed after you got the public key, put that file of the data directory beside what you verify, or get the new public key in a way that you trust.";
}

/** Not the whole key, so that nobody copies one from here. */
function nameOf(verifierKey: string): string {
  return verifierKey.split("+").slice(0, 2).join("+");
}

/** Folders in which files that belong to the subject may be. */
function besides({ kind, path }: Subject): readonly string[] {
  const folder = dirname(path);
  return kind === "export" ? [folder, dirname(folder)] : [folder];
}

function findKeys(
  subject: Subject,
  publicKey: string | null,
): { keys: readonly string[]; keySource: string; isBeside: boolean } {
  if (publicKey !== null)
    return { keys: readKeys(readText(publicKey), publicKey), keySource: publicKey, isBeside: false };
  const file = besides(subject)
    .map((place) => join(place, "audit.pub"))
    .find((path) => existsSync(path));
  if (file !== undefined) return { keys: readKeys(readText(file), file), keySource: file, isBeside: true };
  if (subject.kind === "database") return { keys: [], keySource: "none", isBeside: false };
  throw new UnusableInput(
    "The manifest is signed, but there is no key to check it with. Give the verifier key with --public-key FILE.",
  );
}

/** The notes that the server keeps beside its database. What none of the keys signed says nothing, but is worth a word. */
function readBeside(subject: Subject, reader: NoteReader, remarks: string[]): KnownCheckpoint[] {
  if (subject.kind === "export") return [];
  const folder = join(dirname(subject.path), "checkpoints");
  return globSync("*.notes", { cwd: folder })
    .toSorted()
    .flatMap((name) => {
      const { checkpoints, refused } = readNotes(readText(join(folder, name)), reader);
      if (refused > 0)
        remarks.push(`${counted(refused, "note")} in ${join(folder, name)} not signed by this key: ignored.`);
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
      `${counted(ignored, "text")} in ${file} not in the format of a checkpoint, such as a note that a crash cut short: ignored.`,
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
    "Expected is what memledger audit checkpoint prints (four lines, an empty line, a line with the signature), or the JSON answer of GET /v1/audit/checkpoint, saved to a file without changes";
  return `${file} holds no checkpoint${isKey ? " but a public key, which --public-key takes" : ""}. ${expected}. Nothing was verified.`;
}

function whyRefused(file: string, note: string, keys: readonly string[]): string {
  const signer = signerId(note);
  const known = keys.map(nameOf);
  return known.includes(signer)
    ? `${basename(file)} holds a checkpoint whose signature by the key ${signer} does not fit its text: the checkpoint was changed after it was signed`
    : `${basename(file)} holds a checkpoint that names the key ${signer}, but the key given is ${known.join(", ")}: it is a checkpoint of another installation, or the key was changed, or the checkpoint is forged`;
}

/** @throws UnusableInput when the file is no regular one, is too large or cannot be read. */
export function readText(path: string): string {
  return orUnusable(path, () => readRegularText(path, evidenceFileMaxBytes));
}

/** @throws UnusableInput when the path is no regular file, or cannot be opened. */
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
