// Owns what `memledger audit verify` says of time stamps: the newest of each chain in a database, and those of given receipts. They change no verdict,
// because an authority stamps everything, also a ledger that was written again before. Must never write a file.

import { parseTreeCheckpoint } from "../../audit/checkpoint.ts";
import type { ReadCertificate } from "../../audit/timestamp/certificates.ts";
import { stampData, stampText } from "../../audit/timestamp/stamp-report.ts";
import type { TimeStamp } from "../../audit/timestamp/token.ts";
import type { NoteReader } from "../../audit/verify/note-reader.ts";
import { stampedNoteOf } from "../../audit/verify/receipts/record-receipt.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import type { StampedNote } from "../../calls/storage/ledger-verifier.ts";
import { toBase64 } from "../../platform/text/byte-text.ts";
import { readText } from "./evidence.ts";

export interface StampedCheckpoint {
  readonly chain: string;
  /** The receipt that has it; null: the database. */
  readonly file: string | null;
  /** Number of records that the checkpoint covers; null: it is not known. */
  readonly size: number | null;
  /** What the time stamp states; a text: why it counts for nothing, as a clause. */
  readonly stamp: TimeStamp | string;
}

/** Trusted certificates of authorities. @param path of a PEM file; null: none were given. @throws UnusableInput when it is none */
export async function readRoots(path: string | null): Promise<readonly ReadCertificate[] | null> {
  if (path === null) return null;
  const { readPem } = await import("../../audit/timestamp/certificates.ts");
  const roots = readPem(readText(path));
  if (roots !== null) return roots;
  throw new UnusableInput(`${path} is not a file of certificates in PEM. Correct --timestamp-roots FILE.`);
}

/** A note with its time stamp. */
interface FoundStamp extends Omit<StampedNote, "size"> {
  readonly file: string | null;
  readonly size: number | null;
}

/** @param files receipts and other files. @returns the time stamps of those that have one */
export function stampsIn(files: readonly string[]): readonly FoundStamp[] {
  return files.flatMap((file) => {
    const found = stampedNoteOf(readText(file));
    return found === null ? [] : [{ ...found, timestamp: toBase64(found.timestamp), file, size: null }];
  });
}

/** @param roots as readRoots */
export async function verifyStamps(
  notes: readonly FoundStamp[],
  reader: NoteReader,
  roots: readonly ReadCertificate[] | null,
): Promise<readonly StampedCheckpoint[]> {
  if (notes.length === 0) return [];
  const { verifyToken } = await import("../../audit/timestamp/token.ts");
  const verified = notes.map(async ({ file, size, note, timestamp }) => {
    const text = reader.open(note);
    const root = text === null ? null : parseTreeCheckpoint(text);
    // The verification of the database reports such a note.
    if (text === null || root === null) return null;
    const stamp = await verifyToken(Buffer.from(timestamp, "base64"), text, { request: null, roots });
    return { chain: root.chain, file, size, stamp };
  });
  return (await Promise.all(verified)).filter((one) => one !== null);
}

export function stampsData(stamps: readonly StampedCheckpoint[]) {
  return stamps.map(({ chain, file, size, stamp }) => ({
    chain,
    ...(file === null ? { size } : { file }),
    ...stampData(stamp),
  }));
}

export function stampsText(stamps: readonly StampedCheckpoint[]): string {
  return stamps
    .map(({ chain, file, size, stamp }) => {
      const of = file === null ? `records up to ${size} of chain ${chain}` : `checkpoint in ${file}`;
      if (typeof stamp === "string") return `The time stamp of the ${of} counts for nothing: ${stamp}.`;
      return `${file === null ? "R" : "The c"}${of.slice(1)} existed at ${stampText(stamp)}.`;
    })
    .join("\n");
}
