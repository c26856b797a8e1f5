// Owns the statement that a new signing key replaces the former one, and which keys a verifier accepts because of such statements. Format version 1 is frozen
// (docs/engineer/AUDIT-FORMAT.md).

import { fromTimestamp, toTimestamp } from "../timestamp.ts";
import { isVerifierKey, openNote } from "./signed-note.ts";

/** States: from this time on, the successor signs. Both are verifier keys. */
export interface KeyRotation {
  readonly former: string;
  readonly successor: string;
  readonly at: number;
}

export function rotationText({ former, successor, at }: KeyRotation): string {
  return `memledger-rotation/v1\n${former}\n${successor}\n${toTimestamp(at)}\n`;
}

/** Null when the text is not a rotation statement. */
function parseRotation(text: string): KeyRotation | null {
  const [, former = "", successor = "", time = ""] =
    /^memledger-rotation\/v1\n(\S+)\n(\S+)\n(\S+)\n$/.exec(text) ?? [];
  const at = fromTimestamp(time);
  if (at === null || !isVerifierKey(former) || !isVerifierKey(successor)) return null;
  return { former, successor, at };
}

/** A statement that the key `by` has signed; null when the note is not a statement, or was signed by neither of its keys. */
export function openRotation(note: string): (KeyRotation & { readonly by: "former" | "successor" }) | null {
  const rotation = parseRotation(note.slice(0, note.indexOf("\n\n") + 1));
  if (rotation === null) return null;
  if (openNote(note, rotation.former) !== null) return { ...rotation, by: "former" };
  return openNote(note, rotation.successor) === null ? null : { ...rotation, by: "successor" };
}

export interface FollowedRotations {
  /** The given keys, then their successors, each one once. */
  readonly keys: readonly string[];
  /** The statements that name these successors. */
  readonly confirmed: readonly KeyRotation[];
  /** Statements about these keys that only the successor has signed: the former key was lost, or the statement is forged. */
  readonly unconfirmed: readonly KeyRotation[];
}

/** The given keys and all their successors. A statement counts only if the former key has signed it. */
export function followRotations(keys: readonly string[], notes: readonly string[]): FollowedRotations {
  const statements = notes.map(openRotation).filter((rotation) => rotation !== null);
  const known = new Set(keys);
  const confirmed: KeyRotation[] = [];
  const byFormer = Map.groupBy(statements, ({ former }) => former);
  // The loop also visits keys that are added while it runs.
  for (const key of known) {
    for (const { by, ...rotation } of byFormer.get(key) ?? []) {
      if (by !== "former" || known.has(rotation.successor)) continue;
      known.add(rotation.successor);
      confirmed.push(rotation);
    }
  }
  const unconfirmed = statements.filter(({ by, former }) => by === "successor" && known.has(former));
  return { keys: [...known], confirmed, unconfirmed: unconfirmed.map(({ by: _, ...rotation }) => rotation) };
}
