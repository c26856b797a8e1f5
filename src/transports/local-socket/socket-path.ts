// Owns the path of the local socket of a data directory: where its server listens, and where programs of this machine find it.
// Must never connect to it.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** sockaddr_un.sun_path holds 104 bytes on macOS, 108 on Linux and Windows, a final NUL included. */
const pathMaxBytes = 103;

/** Where the server of this data directory listens; null if there was none, or it stopped normally. */
export function findLocalSocket(path: string): string | null {
  // Also if a part of the path is a file, which is an error for lstat.
  const info = existsSync(path) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  if (info === undefined) return null;
  return info.isSymbolicLink() ? readlinkSync(path) : path;
}

/** `path`, or a short path that depends only on the real path of the directory. */
export function listeningPath(path: string): string {
  if (Buffer.byteLength(path) <= pathMaxBytes) return path;
  const name = join(realpathSync(dirname(path)), basename(path));
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return join(runtimeDirectory(), `${hash}.sock`);
}

/** A directory that only this user can access. @throws Error if another user created it */
function runtimeDirectory(): string {
  const userId = process.getuid?.();
  const given = process.env.XDG_RUNTIME_DIR ?? "";
  const directory = existsSync(given)
    ? join(given, "memledger")
    : join(tmpdir(), userId === undefined ? "memledger" : `memledger-${userId}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const info = lstatSync(directory);
  const isOurs = userId === undefined || (info.uid === userId && (info.mode & 0o077) === 0);
  if (info.isDirectory() && isOurs) return directory;
  throw new Error(
    `${directory} must be a directory that belongs to this user and has mode 0700. Remove it, then start the server again.`,
  );
}
