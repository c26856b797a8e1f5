// Owns the rule that the program uses only files of its own user and of root. Must never open a file.
//
// A directory of another user may contain links to files that only this user can write; a program that runs as root would follow them.
// Files of root are accepted, because root can do everything anyway, and because orchestrators often mount volumes as root.

import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoteWord } from "../../platform/text/shell-word.ts";

/** The names of all files that the program opens in a data directory begin with one of these. */
const names =
  /^(memledger\.(db|lock|toml|sock|starting|log)|audit\.\w+|runtime|cache|checkpoints|deposits|exports|hooks|models)(?![a-z])/;

/**
 * Checks the directory, a link to it, and each file, folder or link in it that the program uses. Users who can write to the directory
 * can still replace files later: see the warning about its permissions.
 * @throws Error that says what belongs to another user, and what to do
 */
export function requireOwnership(root: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  for (const stat of [lstatSync, statSync]) {
    const { uid } = stat(root);
    if (!isTrusted(uid, user)) throw foreign(`The data directory ${root}`, uid, user, root);
  }
  for (const name of readdirSync(root).filter((each) => names.test(each))) {
    const path = join(root, name);
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info === undefined || isTrusted(info.uid, user)) continue;
    throw foreign(info.isSymbolicLink() ? `The symbolic link ${path}` : path, info.uid, user, root);
  }
}

/** @throws Error as above if the directory belongs to another user, also to root: of a directory that this user cannot enter */
export function refuseForeignDirectory(root: string): void {
  const user = process.geteuid?.();
  const owner = ownerOf(root);
  if (user === undefined || owner === null || owner === user) return;
  throw foreign(`The data directory ${root}`, owner, user, root);
}

/** Null: a folder above it cannot be entered, or there is no such path. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

/** A file of another user is accepted, a link of another user is not. @throws Error as above */
export function requireOwnLink(path: string): void {
  const user = process.geteuid?.();
  const info = lstatSync(path);
  if (user === undefined || !info.isSymbolicLink() || isTrusted(info.uid, user)) return;
  throw foreign(`The symbolic link ${path}`, info.uid, user, dirname(path));
}

function isTrusted(owner: number, user: number): boolean {
  return owner === user || owner === 0;
}

function foreign(what: string, owner: number, user: number, root: string): Error {
  // Changing the owner would break a running server. The socket may be invisible to this user, so the other message mentions a server too.
  const remedy = existsSync(join(root, "memledger.sock"))
    ? "Its socket exists, so a server of that user may be running: do not change the owner of its files."
    : `If the files are yours and no server of that user uses them, change their owner instead: chown -Rh ${user} ${quoteWord(root)}`;
  return new Error(
    `${what} belongs to the user ${owner}, but memledger runs as the user ${user}. Run the command as that user: sudo -u '#${owner}' memledger ... ${remedy}`,
  );
}
