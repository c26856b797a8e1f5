// Owns which path a new backup may have. Must never create a folder, and never change a file.

import { accessSync, constants, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { BackupExists } from "./make-backup.ts";

interface TargetRules {
  readonly mayReplace: boolean;
  readonly dataDir: string;
}

/** @returns the absolute path. @throws Error that says what to do when a backup must not, or cannot, be written there */
export function checkBackupTarget(given: string, { mayReplace, dataDir }: TargetRules): string {
  if (given === "-") {
    throw new Error(
      "A backup cannot be written to standard output, because the database is copied to the folder of the file first. Give the path of a file.",
    );
  }
  const target = resolve(given);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found?.isDirectory() === true || /[\\/]$/.test(given)) {
    throw new Error(
      `${given} is a directory. Add the name of a file, such as ${join(target, "memledger.tar.zst")}.`,
    );
  }
  requireFolder(dirname(target));
  if (isInside(target, dataDir)) throw new Error(insideMessage(target, dataDir));
  const entry = lstatSync(target, { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isFile())
    throw new Error(`${target} exists and is not a regular file. Choose another name.`);
  if (entry !== undefined && !mayReplace) throw new BackupExists(target);
  return target;
}

/** @throws Error that says what to do when no backup can be written to the folder */
export function requireFolder(folder: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is not a directory. Correct the path.`);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const found = explainSystemError(error);
    if (found === null) throw error;
    const remedy = found.cause === "it does not exist" ? "Create it, or correct the path." : found.remedy;
    throw new Error(`A backup cannot be written to ${folder}: ${found.cause}. ${remedy}`, { cause: error });
  }
}

/** Whether a path, whose folder exists, is the directory or below it. */
export function isInside(path: string, directory: string): boolean {
  const real = join(realFolder(dirname(path)), basename(path));
  const name = relative(realFolder(directory), real);
  return name === "" || !(name === ".." || name.startsWith(`..${sep}`) || resolve(name) === name);
}

export function insideMessage(path: string, dataDir: string): string {
  return `${path} is inside the data directory ${dataDir}. A backup there would be lost together with the data. Choose a folder elsewhere, if possible on another disk.`;
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
