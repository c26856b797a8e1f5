// Owns the project that a program of the user uses: the name that was given, or for `auto` the enclosing git repository. Must never run git.

import { lstatSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { nameMaxCharacters } from "../../platform/limits.ts";

export const defaultProject = "default";
/** Of a file that contains one path. */
const linkMaxBytes = 64 * 1024;

/**
 * `auto` is the name of the folder of the git repository that encloses the directory. All worktrees of a repository have one name.
 * Outside of a repository it is the default project.
 */
export function projectNameOf(given: string, directory: string): string {
  if (given !== "auto") return given;
  const root = findRepository(resolve(directory));
  return root === null ? defaultProject : toName(basename(root));
}

/** The main folder of the repository; null: there is none. */
function findRepository(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    const info = statusOf(git);
    if (info?.isFile() === true) return mainFolderOf(git) ?? folder;
    if (info !== null) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** Null also for what this user cannot see, such as the folders above a sandbox. */
function statusOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/**
 * The `.git` file of a worktree names a folder inside the main repository, which has a file `commondir` (gitrepository-layout). Null: it
 * is a submodule, or the file cannot be read.
 */
function mainFolderOf(gitFile: string): string | null {
  try {
    const [, path] = /^gitdir: (.+)$/m.exec(readRegularText(gitFile, linkMaxBytes)) ?? [];
    if (path === undefined) return null;
    const folder = resolve(dirname(gitFile), path.trim());
    const common = resolve(folder, readRegularText(join(folder, "commondir"), linkMaxBytes).trim());
    // A bare repository for worktrees is often in a hidden folder of the project, such as `.bare`.
    return basename(common).startsWith(".") ? dirname(common) : common;
  } catch {
    return null;
  }
}

/** A name that every project may have. macOS decomposes the letters of file names. */
function toName(folder: string): string {
  const name = folder
    .normalize("NFC")
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  return [...name].slice(0, nameMaxCharacters).join("").trim() || defaultProject;
}
