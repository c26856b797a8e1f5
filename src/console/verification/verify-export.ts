// Owns the verification of one export in the browser, with what the person supplies. The checks are those of `memledger audit verify`. Must
// never read a file and never connect anywhere.

import type { Cryptography } from "../../audit/verify/cryptography.ts";
import { acceptKeys, readCheckpoints, type SuppliedFile } from "../../audit/verify/evidence.ts";
import { type FileHash, verifyExport } from "../../audit/verify/export/verification.ts";
import { splitNotes } from "../../audit/verify/note.ts";
import { readKeys } from "../../audit/verify/note-reader.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import { browserCryptography } from "./browser-cryptography.ts";
import { inputNames, type Outcome, toOutcome, unusable } from "./outcome.ts";

export interface ExportInput {
  /** For messages. */
  readonly name: string;
  readonly file: AsyncIterable<Uint8Array>;
  /** Text of the signed manifest; null: not supplied. */
  readonly manifest: string | null;
  /** Verifier keys, one on each line; null: not supplied. */
  readonly publicKey: string | null;
  /** Statements about changes of the key, as in the file audit.rotations; empty: none. */
  readonly rotations: string;
  /** Checkpoints that were kept outside the server. */
  readonly checkpoints: readonly SuppliedFile[];
  /** Whether the export was just made of all records, so a larger checkpoint shows that records were removed. */
  readonly isWhole: boolean;
  readonly remarks: readonly string[];
  /** SHA-256 of the file. Default: computed here. */
  readonly fileHash?: FileHash;
}

export interface Progress {
  readonly doneBytes: number;
  /** As the manifest says. */
  readonly totalBytes: number;
}

/** Never throws for what a file contains; a stream that fails rejects. */
export async function verifyInput(
  input: ExportInput,
  onProgress: (progress: Progress) => void = () => undefined,
  cryptography: Cryptography = browserCryptography,
): Promise<Outcome> {
  try {
    return await verify(input, onProgress, cryptography);
  } catch (error) {
    if (error instanceof UnusableInput) return unusable(input.name, error.message);
    throw error;
  }
}

async function verify(
  { name, manifest, publicKey, rotations, checkpoints, remarks, ...input }: ExportInput,
  onProgress: (progress: Progress) => void,
  cryptography: Cryptography,
): Promise<Outcome> {
  if (manifest === null)
    throw new UnusableInput(
      `The manifest is missing. An export is verified with its manifest: add the file ${name}.manifest.`,
    );
  if (publicKey === null)
    throw new UnusableInput(
      "No public key was given, so the signature of the manifest cannot be checked. Add the public key of the ledger.",
    );
  const given = readKeys(publicKey, "The public key", cryptography);
  const accepted = acceptKeys(given, splitNotes(rotations), inputNames, cryptography);
  const { reader, keys } = accepted;
  if (reader === null) throw new Error("a list of keys that is not empty has a reader");
  const kept = readCheckpoints(checkpoints, { reader, keys }, inputNames, cryptography);
  const report = await verifyExport({
    ...input,
    manifest,
    reader,
    cryptography,
    checkpoints: kept.checkpoints,
    roots: kept.roots,
    refusedOutside: kept.failure,
    remarks: [...remarks, ...accepted.remarks, ...kept.remarks],
    onProgress: (doneBytes, totalBytes) => onProgress({ doneBytes, totalBytes }),
  });
  return toOutcome(report, accepted, kept, rotations !== "");
}
