// Owns the search for the files of a verification: the database or export, the public keys, the checkpoints beside it and the external
// ones. Must never write a file, and never treat a checkpoint that is stored beside the database as an external one.

import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import type { KnownCheckpoint, KnownRoot } from "../../audit/verify/checkpoint-comparison.ts";
import {
  type AcceptedKeys,
  acceptKeys,
  type InputNames,
  readCheckpoints,
  type SuppliedFile,
} from "../../audit/verify/evidence.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { checkNotes, type NoteReader, readKeys, readNotes } from "../../audit/verify/note-reader.ts";
import { type Failure, UnusableInput } from "../../audit/verify/verdict.ts";
import { type Policy, readPolicy } from "../../audit/witness/policy.ts";
import { type JudgedRoot, judgeRoot } from "../../audit/witness/policy-evidence.ts";
import { ledgerVerifier } from "../../engines/engines.ts";
import { withRegularFile } from "../../platform/files/regular-file.ts";
import { counted } from "../../platform/text/plural.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { rotationsPath } from "../../server/ledger/ledger-rotation.ts";
import { findDeposits } from "./deposits.ts";
import { orUnusable, readBytes } from "./evidence-files.ts";

export type Subject =
  | { readonly kind: "database"; readonly path: string }
  | { readonly kind: "export"; readonly path: string; readonly manifest: string }
  /** What a destination has kept. */
  | { readonly kind: "deposits"; readonly path: string };

/** Finds out what a path is: a data directory, a database, an export, or the manifest of an export. @throws UnusableInput */
export function findSubject(path: string): Subject {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UnusableInput(`${path} does not exist. Correct the path.`);
  if (stat.isDirectory()) {
    const { database } = locate(path);
    if (orUnusable(database, () => statSync(database, { throwIfNoEntry: false })) !== undefined)
      return { kind: "database", path: database };
    if (findDeposits(path).length > 0) return { kind: "deposits", path };
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
  /** Those of version 2. */
  readonly roots: readonly KnownRoot[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  /** Null: no policy was given. */
  readonly policy: PolicyEvidence | null;
  /** How valid signatures may fail the check although no record was changed; null: no such reason is known. */
  readonly keyAdvice: string | null;
}

/** What witnesses have signed, by the policy of the person who verifies. */
export interface PolicyEvidence {
  /** Of the policy file. */
  readonly source: string;
  readonly policy: Policy;
  readonly judged: readonly JudgedRoot[];
}

interface EvidenceOptions {
  /** File of a policy; absent or null: none. */
  readonly policy?: string | null;
  readonly publicKey: string | null;
  readonly checkpoints: readonly string[];
  /** Checkpoints that were kept elsewhere; absent: none. */
  readonly kept?: readonly SuppliedFile[];
}

/** How messages name the options. */
export const inputNames: InputNames = { checkpoint: "--checkpoint FILE", publicKey: "--public-key FILE" };

/** @throws UnusableInput */
export function gatherEvidence(subject: Subject, options: EvidenceOptions): Evidence {
  const { keys: givenKeys, keySource, isBeside } = findKeys(subject, options.publicKey);
  const accepted = acceptKeys(givenKeys, readRotationsBeside(subject), inputNames, runtimeCryptography);
  const { keys, reader } = accepted;
  const remarks = [...accepted.remarks];
  if (isBeside) {
    remarks.push(
      `The public key was read from ${keySource}. Anyone who can write to this folder can replace the key and sign again. For a check against them, give a copy of the key that was kept elsewhere: --public-key FILE.`,
    );
  }
  const outside = [
    ...options.checkpoints.map((name) => ({ name, text: readText(name) })),
    ...(options.kept ?? []),
  ];
  if (reader === null && outside.length > 0)
    throw new UnusableInput("A checkpoint cannot be checked without the public key. Add --public-key FILE.");
  const beside = reader === null ? noCheckpoints : readBeside(subject, reader, remarks);
  const given =
    reader === null
      ? noCheckpoints
      : readCheckpoints(outside, { reader, keys }, inputNames, runtimeCryptography);
  const roots = [...beside.roots, ...given.roots];
  const policy = options.policy ? applyPolicy(options.policy, subject, roots, reader, remarks) : null;
  return {
    reader,
    keys,
    keySource,
    policy,
    // With a policy, only what enough witnesses have signed is from outside.
    checkpoints: [...beside.checkpoints, ...given.checkpoints].map((one) =>
      policy === null ? one : { ...one, isOutside: false },
    ),
    roots:
      policy === null
        ? roots
        : [
            ...roots.map((root) => ({ ...root, isOutside: false })),
            ...policy.judged
              .filter(({ isSatisfied }) => isSatisfied)
              .map(({ root }) => ({ ...root, isOutside: true })),
          ],
    refusedOutside: given.failure,
    remarks: [...remarks, ...given.remarks],
    keyAdvice: isBeside ? null : adviseOnKey(subject, accepted),
  };
}

/** @throws UnusableInput when the policy cannot be read */
function applyPolicy(
  path: string,
  subject: Subject,
  roots: readonly KnownRoot[],
  reader: NoteReader | null,
  remarks: string[],
): PolicyEvidence {
  const policy = readPolicy(readText(path), path, runtimeCryptography);
  const stored =
    subject.kind !== "database" || reader === null
      ? []
      : checkNotes(ledgerVerifier.cosignedNotes(subject.path), reader).roots;
  const cosigned = stored.map((root) => ({
    ...root,
    isOutside: false,
    source: `the checkpoint of ${root.leaves} leaves that witnesses have signed`,
  }));
  const judged = [...roots, ...cosigned].flatMap(
    (root) => judgeRoot(root, policy, runtimeCryptography) ?? [],
  );
  for (const { root, invalid } of judged.filter((one) => one.invalid.length > 0))
    remarks.push(
      `The cosignature of ${invalid.join(", ")} on the checkpoint of ${root.leaves} leaves of chain ${root.chain} is not valid: somebody has changed it. This checkpoint does not count.`,
    );
  return { source: path, policy, judged };
}

const noCheckpoints = { checkpoints: [], roots: [], failure: null, remarks: [] };

/** The statements about changes of the key. A key is trusted only if a statement about it is signed by the previous key. */
function readRotationsBeside(subject: Subject): readonly string[] {
  const file = foldersOf(subject)
    .map(rotationsPath)
    .find((path) => existsSync(path));
  return file === undefined ? [] : splitNotes(readText(file));
}

function adviseOnKey(subject: Subject, { hasUnconfirmed }: AcceptedKeys): string | null {
  if (hasUnconfirmed) {
    return "The key of this ledger was changed, and the previous key, which was lost, has not signed the change. The public key given is the previous one: it cannot verify signatures of the new key. Get the new public key from the operator in a way that you trust, and give both keys in one file with --public-key.";
  }
  const hasRotations = foldersOf(subject)
    .map(rotationsPath)
    .some((path) => existsSync(path));
  return hasRotations
    ? null
    : "There is no file audit.rotations beside the database or export. If the key of this ledger was changed after you received the public key, copy audit.rotations from the data directory to this folder, or get the new public key in a way that you trust.";
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
    return {
      keys: readKeys(readText(publicKey), publicKey, runtimeCryptography),
      keySource: publicKey,
      isBeside: false,
    };
  const file = foldersOf(subject)
    .map((folder) => join(folder, "audit.pub"))
    .find((path) => existsSync(path));
  if (file !== undefined)
    return { keys: readKeys(readText(file), file, runtimeCryptography), keySource: file, isBeside: true };
  if (subject.kind === "database") return { keys: [], keySource: "none", isBeside: false };
  throw new UnusableInput(
    "No public key was given or found, so no signature can be checked. Add --public-key FILE.",
  );
}

/** The notes that the server keeps beside its database. Notes that none of the keys has signed are ignored, with a remark. */
function readBeside(
  subject: Subject,
  reader: NoteReader,
  remarks: string[],
): Pick<Evidence, "checkpoints" | "roots"> {
  if (subject.kind !== "database") return noCheckpoints;
  const folder = join(dirname(subject.path), "checkpoints");
  const read = globSync("*.notes", { cwd: folder })
    .toSorted()
    .map((name) => {
      const { checkpoints, roots, refused } = readNotes(readText(join(folder, name)), reader);
      if (refused > 0)
        remarks.push(`Ignored ${counted(refused, "note")} in ${join(folder, name)}: not signed by this key.`);
      const source = `checkpoints/${name}`;
      return {
        checkpoints: checkpoints.map((one) => ({ ...one, isOutside: false, isSigned: true, source })),
        roots: roots.map((one) => ({ ...one, isOutside: false, source })),
      };
    });
  return {
    checkpoints: read.flatMap(({ checkpoints }) => checkpoints),
    roots: read.flatMap(({ roots }) => roots),
  };
}

/** @throws as readBytes */
export function readText(path: string): string {
  return readBytes(path).toString("utf8");
}

/** @throws UnusableInput when the path is not a regular file, or cannot be opened */
export function requireRegular(path: string): void {
  orUnusable(path, () => withRegularFile(path, () => undefined));
}
