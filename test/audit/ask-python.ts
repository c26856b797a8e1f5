// Asks the second verifier, test/verify.py, about one database or export.

import { resolve } from "node:path";
import type { JsonObject } from "../../src/platform/json/json.ts";

const script = resolve(import.meta.dir, "../verify.py");
const python = Bun.which("python3");

/** @returns its verdict; null: python3 is not installed */
export function pythonVerdict(path: string, ...words: string[]): string | null {
  const said = askPython(path, ...words);
  return said === null ? null : String(said.verdict);
}

/** @returns all that it says; null: python3 is not installed */
export function askPython(path: string, ...words: string[]): JsonObject | null {
  if (python === null) return null;
  const { stdout, stderr } = Bun.spawnSync([python, script, path, ...words]);
  try {
    return JSON.parse(stdout.toString());
  } catch {
    throw new Error(stdout.toString() + stderr.toString());
  }
}
