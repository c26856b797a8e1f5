// Owns the project that a program of the user uses: the name that was given, or for `auto` the enclosing git repository. Must never run git.

import { lstatSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nameMaxCharacters } from "../limits.ts";

export const defaultProject = "default";

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
    const info = lstatSync(git, { throwIfNoEntry: false });
    if (info?.isFile() === true) return mainFolderOf(git) ?? folder;
    if (info !== undefined) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * The `.git` file of a worktree names a folder inside the main repository, which has a file `commondir` (gitrepository-layout). Null: it
 * is a submodule, or the file cannot be read.
 */
function mainFolderOf(gitFile: string): string | null {
  try {
    const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(gitFile, "utf8")) ?? [];
    if (path === undefined) return null;
    const folder = resolve(dirname(gitFile), path.trim());
    const common = resolve(folder, readFileSync(join(folder, "commondir"), "utf8").trim());
    return basename(common) === ".git" ? dirname(common) : common;
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
