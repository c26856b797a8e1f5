// Finds a Python that can run the Python client. Must never install anything.

import { join } from "node:path";

export const pythonClient = join(import.meta.dir, "../../clients/python");

/** A Python with what the client needs; null: none. The first on the path may be another one than that of the system's packages. */
export const python: string | null =
  [Bun.which("python3"), "/usr/bin/python3"].find((path) => path !== null && canRun(path)) ?? null;

/** Why tests of the Python client do not run; for their names. */
export const reason =
  python === null
    ? " (skipped: no python3 of version 3.10 or later with httpx; on Debian install python3-httpx)"
    : "";

function canRun(path: string): boolean {
  const check = "import sys, httpx, anyio; sys.exit(sys.version_info < (3, 10))";
  try {
    return Bun.spawnSync([path, "-c", check], { stdout: "ignore", stderr: "ignore" }).success;
  } catch {
    return false;
  }
}
