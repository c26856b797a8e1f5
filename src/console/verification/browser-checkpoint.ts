// Owns the checkpoint that this browser keeps of a project: what was verified last. It lets the next verification notice records that were
// changed or removed since. Must never keep a checkpoint that was not verified.

export interface BrowserCheckpoint {
  /** A signed note. */
  readonly note: string;
  /** The verifier key that was accepted for it. */
  readonly publicKey: string;
  /** The newest record that it covers. */
  readonly size: number;
  /** RFC 3339: when it was signed. */
  readonly at: string;
}

const nameOf = (project: string) => `memledger.proof.${project}`;

/** Null: none, or the browser refuses storage to this page. */
export function readKept(project: string): BrowserCheckpoint | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(nameOf(project)) ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const { note, publicKey, size, at } = value as Readonly<Record<string, unknown>>;
    if (typeof note !== "string" || typeof publicKey !== "string") return null;
    // Previous releases stored notes of version 1 only, which contain both.
    const [, ownSize, , ownAt = ""] = note.split("\n");
    return { note, publicKey, size: Number(size ?? ownSize), at: String(at ?? ownAt) };
  } catch {
    return null;
  }
}

/** @returns what the browser keeps now */
export function keep(project: string, checkpoint: BrowserCheckpoint): BrowserCheckpoint | null {
  try {
    localStorage.setItem(nameOf(project), JSON.stringify(checkpoint));
  } catch {
    // The browser refuses storage, or has no room.
  }
  return readKept(project);
}

/** The next verification has nothing to compare with, as the first one. */
export function forget(project: string): void {
  try {
    localStorage.removeItem(nameOf(project));
  } catch {
    // A browser that refuses storage keeps nothing.
  }
}
