// Owns the rule whose files the program uses: those of the user that runs it, and those of root. Must never open a file.
//
// A directory of another user may hold links to files that this one may write and the other may not; a program that runs as root
// would follow them. Files of root are no danger: root can do everything anyway. (An orchestrator often mounts a volume as root.)

import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { quoteWord } from "../text/shell-word.ts";

/** Everything that the program opens in a data directory begins with one of these names. */
const names = /^(memledger\.(db|lock|toml|sock)|audit\.\w+|runtime|checkpoints|exports)(?![a-z])/;

/**
 * Of the directory, of a link that leads to it, and of each file, folder or link in it that the program uses. Others who may write to
 * the directory can still exchange files afterwards: see the warning about its permissions.
 * @throws Error that names what belongs to another user, and says what to do.
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

/** A file of another user may be read, a link of another user may not be followed. @throws Error as above */
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
  // A change of the owner takes the files away from a server that runs. Where the socket cannot be seen, the message itself says so.
  const remedy = existsSync(join(root, "memledger.sock"))
    ? "Its socket is there, so a server of that user may be running: do not change the owner of its files."
    : `If the files are yours and no server of that user uses them, change their owner instead: chown -Rh ${user} ${quoteWord(root)}`;
  return new Error(
    `${what} belongs to the user ${owner}, but memledger runs as the user ${user}. Run the command as that user: sudo -u '#${owner}' memledger ... ${remedy}`,
  );
}
