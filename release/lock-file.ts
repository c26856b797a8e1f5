// Reads the hashes of packages from a lock file of Bun.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./source.ts";

/** The SHA-512 of the package's archive, as the lock file has it. @throws Error when it does not name this version */
export function lockedHash(
  lockFile: string,
  name: string,
  version: string,
): Readonly<{ algorithm: "SHA-512"; hex: string }> {
  const line = readFileSync(join(root, lockFile), "utf8")
    .split("\n")
    .find((each) => each.includes(`["${name}@${version}",`));
  const [, base64] = /"sha512-([A-Za-z0-9+/=]+)"/.exec(line ?? "") ?? [];
  if (base64 === undefined)
    throw new Error(`${lockFile} has no hash of ${name}@${version}. Run: bun install --frozen-lockfile`);
  return { algorithm: "SHA-512", hex: Buffer.from(base64, "base64").toString("hex") };
}
