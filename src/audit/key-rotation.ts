// Owns the statement that a new signing key replaces the previous one, and opening it with the cryptography of the server. Format version 1 is
// frozen (docs/engineer/AUDIT-FORMAT.md).

import { toTimestamp } from "../platform/time/timestamp.ts";
import { runtimeCryptography } from "./runtime-cryptography.ts";
import { type KeyRotation, openRotation as openWith, type SignedRotation } from "./verify/rotations.ts";

export function rotationText({ former, successor, at }: KeyRotation): string {
  return `memledger-rotation/v1\n${former}\n${successor}\n${toTimestamp(at)}\n`;
}

/** A statement that the key `by` has signed; null when the note is not a statement, or was signed by neither of its keys. */
export function openRotation(note: string): SignedRotation | null {
  return openWith(note, runtimeCryptography);
}
