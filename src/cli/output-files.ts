// Owns the copy of finished files to the paths that the caller named. A file is copied completely or not at all, and replaces another
// file only with --force. Must never replace a file of a data directory, nor anything that is not a regular file.

import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { syncFile, syncFolder } from "../platform/files/durable.ts";

interface OutputFile {
  readonly source: string;
  /** Absolute; its folder exists. */
  readonly target: string;
}

export interface OutputRules {
  readonly mayReplace: boolean;
  /** The data directory that `source` comes from. */
  readonly dataDir: string;
}

/** @throws Error that says what to do when a target must not be written */
export function checkTargets(targets: readonly string[], { mayReplace, dataDir }: OutputRules): void {
  for (const target of targets) {
    if (isReserved(target, dataDir)) {
      throw new Error(
        `${target} is reserved for files of the data directory. Choose another path with --out.`,
      );
    }
    const found = lstatSync(target, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (!found.isFile())
      throw new Error(`${target} exists and is not a regular file. Choose another path with --out.`);
    if (!mayReplace) throw new Error(existsMessage(target));
  }
}

/**
 * Copies the files to their targets, in this order. When a copy fails, the files that were copied before it are removed, unless they
 * replaced another file.
 * @throws Error that says what to do
 */
export function copyOutputFiles(files: readonly OutputFile[], rules: OutputRules): void {
  checkTargets(
    files.map(({ target }) => target),
    rules,
  );
  const copied: string[] = [];
  try {
    for (const { source, target } of files) {
      copyFile(source, target, rules.mayReplace);
      copied.push(target);
    }
  } catch (error) {
    if (!rules.mayReplace) for (const target of copied) rmSync(target, { force: true });
    throw error;
  }
}

function copyFile(source: string, target: string, mayReplace: boolean): void {
  const partial = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  try {
    copyFileSync(source, partial);
    syncFile(partial);
    publishFile(partial, target, mayReplace);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Gives a finished file in the same folder its name. `partial` is gone afterwards. */
export function publishFile(partial: string, target: string, mayReplace: boolean): void {
  if (mayReplace) renameSync(partial, target);
  else linkNew(partial, target);
  rmSync(partial, { force: true });
  syncFolder(dirname(target));
}

/** A link, unlike a rename, never replaces a file that was created after the check. */
function linkNew(partial: string, target: string): void {
  try {
    linkSync(partial, target);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") throw new Error(existsMessage(target), { cause: error });
    // The file system does not support hard links.
    copyFileSync(partial, target, constants.COPYFILE_EXCL);
  }
}

function existsMessage(target: string): string {
  return `${target} already exists and may be evidence, so it is not overwritten. Choose another path with --out, or add --force to replace it.`;
}

/** Files and folders that the server keeps in its data directory. */
const reserved = /^(memledger\.[\w-]+|audit\.(key|pub|rotations)|(checkpoints|exports|runtime)\b.*)$/;

function isReserved(target: string, dataDir: string): boolean {
  // For a server elsewhere there may be no data directory.
  if (!existsSync(dataDir)) return false;
  const name = relative(realpathSync(dataDir), join(realpathSync(dirname(target)), basename(target)));
  return reserved.test(name.split(sep)[0] ?? "");
}
