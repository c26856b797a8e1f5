// Asks the second verifier, test/verify.py, about one database or export.

import { resolve } from "node:path";

const script = resolve(import.meta.dir, "../verify.py");
const python = Bun.which("python3");

/** @returns its verdict; null: python3 is not installed */
export function pythonVerdict(path: string, ...words: string[]): string | null {
  if (python === null) return null;
  const { stdout, stderr } = Bun.spawnSync([python, script, path, ...words]);
  try {
    return String(JSON.parse(stdout.toString()).verdict);
  } catch {
    throw new Error(stdout.toString() + stderr.toString());
  }
}
