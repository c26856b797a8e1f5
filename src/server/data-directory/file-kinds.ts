// Owns the rule that the entries of a data directory are files and folders, or links to them. Must never open a file: opening a pipe blocks
// until another program writes to it.

import { join } from "node:path";
import { requireUsable } from "../../platform/files/regular-file.ts";

/** What the program opens in a data directory. Databases must not be links at all; the engine says so. */
const files = [
  ...["memledger.db", "memledger.lock", "memledger.toml", "memledger.log", "memledger.starting"],
  ...["audit.key", "audit.pub", "audit.rotations"],
];
const folders = ["cache", "checkpoints", "deposits", "exports", "hooks", "models", "runtime"];

/**
 * A file in place of a folder, and a folder in place of a file, are found by whoever opens them.
 * @throws Error that says what to do for a pipe, a socket, a device, or a link to nothing
 */
export function requireFileKinds(root: string): void {
  for (const name of files) requireUsable(join(root, name), "file");
  for (const name of folders) requireUsable(join(root, name), "directory");
}
