// Owns the checkpoint that this browser keeps of a project: what was verified last. It lets the next verification notice records that were
// changed or removed since. Must never keep a checkpoint that was not verified.

export interface KeptCheckpoint {
  /** A signed note. */
  readonly note: string;
  /** The verifier key that was accepted for it. */
  readonly publicKey: string;
}

const nameOf = (project: string) => `memledger.proof.${project}`;

/** Null: none, or the browser refuses storage to this page. */
export function readKept(project: string): KeptCheckpoint | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(nameOf(project)) ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const [note, publicKey]: unknown[] = [Reflect.get(value, "note"), Reflect.get(value, "publicKey")];
    return typeof note === "string" && typeof publicKey === "string" ? { note, publicKey } : null;
  } catch {
    return null;
  }
}

/** @returns whether the browser keeps it */
export function keep(project: string, checkpoint: KeptCheckpoint): boolean {
  try {
    localStorage.setItem(nameOf(project), JSON.stringify(checkpoint));
    return true;
  } catch {
    return false;
  }
}
