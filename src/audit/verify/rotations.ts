// Owns reading the statements that a new signing key replaces the previous one, and which keys a verifier accepts because of them. Must never
// read a file.

import { fromTimestamp } from "../../platform/time/timestamp.ts";
import type { Cryptography } from "./cryptography.ts";
import { openNote, parseVerifierKey, textOfNote } from "./note.ts";

/** States: from this time on, the successor signs. Both are verifier keys. */
export interface KeyRotation {
  readonly former: string;
  readonly successor: string;
  readonly at: number;
}

/** Null when the text is not a rotation statement. */
function parseRotation(text: string, cryptography: Cryptography): KeyRotation | null {
  const [, former = "", successor = "", time = ""] =
    /^memledger-rotation\/v1\n(\S+)\n(\S+)\n(\S+)\n$/.exec(text) ?? [];
  const at = fromTimestamp(time);
  const areKeys = [former, successor].every((key) => parseVerifierKey(key, cryptography) !== null);
  if (at === null || !areKeys) return null;
  return { former, successor, at };
}

export interface SignedRotation extends KeyRotation {
  readonly by: "former" | "successor";
}

/** A statement that the key `by` has signed; null when the note is not a statement, or was signed by neither of its keys. */
export function openRotation(note: string, cryptography: Cryptography): SignedRotation | null {
  const rotation = parseRotation(textOfNote(note), cryptography);
  if (rotation === null) return null;
  if (openNote(note, [rotation.former], cryptography) !== null) return { ...rotation, by: "former" };
  return openNote(note, [rotation.successor], cryptography) === null
    ? null
    : { ...rotation, by: "successor" };
}

export interface FollowedRotations {
  /** The given keys, then their successors, each one once. */
  readonly keys: readonly string[];
  /** The statements that name these successors. */
  readonly confirmed: readonly KeyRotation[];
  /** All statements that these keys have signed about their successors. */
  readonly successions: readonly KeyRotation[];
  /** Statements about these keys that only the successor has signed: the previous key was lost, or the statement is forged. */
  readonly unconfirmed: readonly KeyRotation[];
}

/** The given keys and all their successors. A statement counts only if the previous key has signed it. */
export function followRotations(
  keys: readonly string[],
  notes: readonly string[],
  cryptography: Cryptography,
): FollowedRotations {
  const statements = notes
    .map((note) => openRotation(note, cryptography))
    .filter((rotation) => rotation !== null);
  const known = new Set(keys);
  const confirmed: KeyRotation[] = [];
  const byPrevious = Map.groupBy(statements, ({ former }) => former);
  // The loop also visits keys that are added while it runs.
  for (const key of known) {
    for (const { by, ...rotation } of byPrevious.get(key) ?? []) {
      if (by !== "former" || known.has(rotation.successor)) continue;
      known.add(rotation.successor);
      confirmed.push(rotation);
    }
  }
  const successions = statements.filter(({ by, former }) => by === "former" && known.has(former));
  const unconfirmed = statements.filter(({ by, former }) => by === "successor" && known.has(former));
  return {
    keys: [...known],
    confirmed,
    successions,
    unconfirmed: unconfirmed.map(({ by: _, ...rotation }) => rotation),
  };
}
