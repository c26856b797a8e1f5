// Owns what `memledger audit verify` says of the time stamps in a database: the newest of each chain. They change no verdict, because an authority
// stamps everything, also a ledger that was written again before. Must never write a file.

import { parseTreeCheckpoint } from "../../audit/checkpoint.ts";
import type { ReadCertificate } from "../../audit/timestamp/certificates.ts";
import { stampData, stampText } from "../../audit/timestamp/stamp-report.ts";
import type { TimeStamp } from "../../audit/timestamp/token.ts";
import type { NoteReader } from "../../audit/verify/note-reader.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import type { StampedNote } from "../../calls/storage/ledger-verifier.ts";
import { readText } from "./evidence.ts";

export interface StampedCheckpoint {
  readonly chain: string;
  /** Number of records that the checkpoint covers. */
  readonly size: number;
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

/** @param roots as readRoots */
export async function verifyStamps(
  notes: readonly StampedNote[],
  reader: NoteReader,
  roots: readonly ReadCertificate[] | null,
): Promise<readonly StampedCheckpoint[]> {
  if (notes.length === 0) return [];
  const { verifyToken } = await import("../../audit/timestamp/token.ts");
  const verified = notes.map(async ({ size, note, timestamp }) => {
    const text = reader.open(note);
    const root = text === null ? null : parseTreeCheckpoint(text);
    // The verification of the database reports such a note.
    if (text === null || root === null) return null;
    const stamp = await verifyToken(Buffer.from(timestamp, "base64"), text, { request: null, roots });
    return { chain: root.chain, size, stamp };
  });
  return (await Promise.all(verified)).filter((one) => one !== null);
}

export function stampsData(stamps: readonly StampedCheckpoint[]) {
  return stamps.map(({ chain, size, stamp }) => ({ chain, size, ...stampData(stamp) }));
}

export function stampsText(stamps: readonly StampedCheckpoint[]): string {
  return stamps
    .map(({ chain, size, stamp }) =>
      typeof stamp === "string"
        ? `The time stamp of the records up to ${size} of chain ${chain} counts for nothing: ${stamp}.`
        : `Records up to ${size} of chain ${chain} existed at ${stampText(stamp)}.`,
    )
    .join("\n");
}
