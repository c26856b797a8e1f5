// Owns what `memledger audit verify` says of the time stamps in a database: the newest of each chain. They change no verdict, because an authority
// stamps everything, also a ledger that was written again before. Must never write a file.

import { parseTreeCheckpoint } from "../../audit/checkpoint.ts";
import type { TimeStamp } from "../../audit/timestamp/token.ts";
import type { NoteReader } from "../../audit/verify/note-reader.ts";
import { UnusableInput } from "../../audit/verify/verdict.ts";
import type { StampedNote } from "../../calls/storage/ledger-verifier.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";

export interface StampedCheckpoint {
  readonly chain: string;
  /** Number of records that the checkpoint covers. */
  readonly size: number;
  /** What the time stamp states; a text: why it counts for nothing, as a clause. */
  readonly stamp: TimeStamp | string;
}

/** @param pem roots of authorities, and where a person finds them; null: none were given. @throws UnusableInput when they are none */
export async function verifyStamps(
  notes: readonly StampedNote[],
  reader: NoteReader,
  pem: { readonly text: string; readonly source: string } | null,
): Promise<readonly StampedCheckpoint[]> {
  if (notes.length === 0 && pem === null) return [];
  const { readPem } = await import("../../audit/timestamp/certificates.ts");
  const { verifyToken } = await import("../../audit/timestamp/token.ts");
  const roots = pem === null ? null : readPem(pem.text);
  if (pem !== null && roots === null)
    throw new UnusableInput(
      `${pem.source} is not a file of certificates in PEM. Correct --timestamp-roots FILE.`,
    );
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
  return stamps.map(({ chain, size, stamp }) =>
    typeof stamp === "string"
      ? { chain, size, valid: false, reason: stamp }
      : {
          chain,
          size,
          valid: true,
          time: toTimestamp(stamp.at),
          accuracy_seconds: stamp.accuracyMs === null ? null : stamp.accuracyMs / 1000,
          authority: stamp.authority,
          policy: stamp.policy,
          root_checked: stamp.isTrusted,
        },
  );
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

/** `2026-11-28T14:00:00.000Z +/- 1 s, says "CN=..."`, and whether its certificate was checked. */
export function stampText({ at, accuracyMs, authority, isTrusted }: TimeStamp): string {
  const accuracy = accuracyMs === null ? " (accuracy not stated)" : ` +/- ${accuracyMs / 1000} s`;
  const checked = isTrusted ? "" : ", which was not checked against a root: give --timestamp-roots FILE";
  return `${toTimestamp(at)}${accuracy}, says "${authority}"${checked}`;
}
