// Owns the file which says that SQLite has reported damage and that no check has found the database intact since. It outlives the process,
// so that whoever opens the database next checks it first. Must never write to the database.

import { closeSync, existsSync, openSync, rmSync } from "node:fs";

export function damageMark(path: string): string {
  return `${path}-damaged`;
}

export function isMarkedDamaged(path: string): boolean {
  return existsSync(damageMark(path));
}

/** The disk may have failed: then the next process finds the damage itself. */
export function markDamaged(path: string): void {
  try {
    closeSync(openSync(damageMark(path), "wx", 0o600));
  } catch {
    // It exists already, or nothing can be written.
  }
}

export function unmarkDamaged(path: string): void {
  rmSync(damageMark(path), { force: true });
}
