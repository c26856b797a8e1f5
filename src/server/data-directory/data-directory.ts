// Owns the layout of the data directory, and that only its owner can read it. Must never change the permissions of a directory that is
// not empty: it may be a home directory.

import { accessSync, chmodSync, constants, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../platform/files/durable.ts";
import { nearestFolder } from "../../platform/files/nearest-folder.ts";
import { type Cause, explainSystemError } from "../../platform/files/system-error.ts";
import { requireFileKinds } from "./file-kinds.ts";
import { requireOwnership } from "./ownership.ts";

export interface DataDirectory {
  readonly root: string;
  readonly database: string;
  readonly lock: string;
  /** Folder for the unpacked native libraries. */
  readonly runtime: string;
  /** Socket of the running server for programs of this user. */
  readonly socket: string;
  /** Exists while a program starts a server; see start-marker.ts. */
  readonly startMarker: string;
  /** Leads a browser to a sign-in link; there for some seconds only. */
  readonly signInPage: string;
  /** The API key of the first start, if its output was no terminal. */
  readonly firstKey: string;
  /** The log of background servers, and the one before it. */
  readonly log: string;
  readonly previousLog: string;
}

/** Returns absolute paths. Creates nothing. */
export function locate(root: string): DataDirectory {
  return {
    root,
    database: join(root, "memledger.db"),
    lock: join(root, "memledger.lock"),
    runtime: join(root, "runtime"),
    socket: join(root, "memledger.sock"),
    startMarker: join(root, "memledger.starting"),
    signInPage: join(root, "console-sign-in.html"),
    firstKey: join(root, "first-api-key"),
    log: join(root, "memledger.log"),
    previousLog: join(root, "memledger.log-former"),
  };
}

/** Creates the directory if it does not exist. @throws Error that says what to do when it cannot be used */
export function openDataDirectory(root: string): DataDirectory {
  explained(root, () => {
    requireUsableFolder(root);
    if (readdirSync(root).length === 0) chmodSync(root, 0o700);
  });
  return locate(root);
}

/** For a command that leaves it to another one to create the directory. @throws Error as openDataDirectory */
export function requireUsableDirectory(root: string): void {
  explained(root, () => {
    if (existsSync(root) || isDanglingLink(root)) return requireUsableFolder(root);
    // The dot makes a file an error.
    accessSync(`${nearestFolder(root)}/.`, constants.W_OK | constants.X_OK);
  });
}

function requireUsableFolder(root: string): void {
  makeFolder(root);
  requireOwnership(root);
  requireFileKinds(root);
  accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** @throws Error that says why the directory cannot be used, and what to do */
function explained(root: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const found = explainSystemError(error);
    if (found === null) throw error;
    const { cause, remedy } = isDanglingLink(root) ? danglingLink : found;
    throw new Error(
      `The data directory ${root} cannot be used: ${cause}. ${remedy} To use another directory, set --data-dir.`,
      { cause: error },
    );
  }
}

function isDanglingLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    return false;
  }
}

const danglingLink: Cause = {
  cause: "it is a symbolic link to a directory that does not exist",
  remedy: "Create that directory or remove the link.",
};

/** Whether other users can access the directory. Always false on Windows, where the mode does not contain the permissions. */
export function isAccessibleToOthers(root: string): boolean {
  return process.platform !== "win32" && (statSync(root).mode & 0o077) !== 0;
}
