// Owns durable writes: after a power loss, files and folders are complete or do not exist. SQLite does this for the database itself.

import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Creates the folder and its missing parents, accessible only to the owner. Does not change existing folders. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

/** Writes a file atomically, readable only by the owner. Replaces an existing file. */
export function writeWhole(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "w", 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Gives a complete and synced file its name, without replacing another file. @returns false when there is a file with this name
 * @throws errors of the file system
 */
export function nameNewFile(temporary: string, path: string): boolean {
  try {
    // A link, unlike a rename, never replaces a file that was created a moment ago.
    linkSync(temporary, path);
    rmSync(temporary);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
    // The file system does not support hard links.
    if (!(error instanceof Error && "code" in error) || error.code === "ENOENT") throw error;
    renameSync(temporary, path);
  }
  syncFolder(dirname(path));
  return true;
}

/** After this call, the content of the file survives a power loss. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** After this call, created, renamed and removed files of the folder survive a power loss. */
export function syncFolder(path: string): void {
  // Windows cannot sync a folder; NTFS keeps a journal of names itself.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
