// Owns keeping files in a folder, such as one on another disk. Must never create this folder, replace a file, or block the thread: it may be on a server that
// does not answer.

import { access, constants, copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DepositStore } from "../../calls/storage/deposit-store.ts";
import { explainedAs, explainSystemError } from "../../platform/files/system-error.ts";
import { AttestationRefused } from "../attesting/destination.ts";
import { isOnOtherDisk } from "../backup/backup-folder.ts";
import { type DepositPlace, otherFileMessage, type SpooledFile } from "./place.ts";
import { fileSha256, syncFolder } from "./spool.ts";

interface FolderTools {
  readonly dataDir: string;
  readonly store: Pick<DepositStore, "last">;
}

export function createFolderPlace(path: string, { dataDir, store }: FolderTools): DepositPlace {
  /** @returns whether it is on another disk than the data directory and the system */
  const check = async (): Promise<boolean> => {
    const device = await deviceOf(path);
    const isOther = isOnOtherDisk(device, dataDir);
    if (!isOther && (await store.last(path))?.answer.on_other_disk === true)
      throw new Error(
        `The folder ${path} was on another disk when the last records were kept in it. Mount this disk. If records shall be kept on the disk where the folder is now, name another folder with --keep.`,
      );
    return isOther;
  };
  return {
    name: path,
    async check() {
      await check();
    },
    async keep(file) {
      const isOther = await check();
      await explained(path, () => copyInto(path, file));
      return { sha256: file.sha256, on_other_disk: isOther };
    },
  };
}

/** @throws Error that says what to do when no file can be written to the folder */
async function deviceOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    if (explainSystemError(error)?.cause !== "it does not exist") throw explainedAs(cannot(path), error);
    throw new Error(
      `The folder ${path} does not exist, and is not created. Mount its disk, or create the folder.`,
    );
  });
  if (!found.isDirectory()) throw new Error(`${path} is not a directory. Correct --keep.`);
  await explained(path, () => access(path, constants.W_OK | constants.X_OK));
  return found.dev;
}

async function copyInto(root: string, { name, path, sha256 }: SpooledFile): Promise<void> {
  const target = join(root, name);
  await makeFolders(root, dirname(name));
  if (await isKept(target, sha256)) return;
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await copyFile(path, temporary);
    {
      await using file = await open(temporary, "r+");
      await file.sync();
    }
    await nameNewFile(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
  if (!(await isKept(target, sha256))) throw new Error(`${target} disappeared while it was written.`);
  await syncFolder(dirname(target));
}

/** One by one, because `recursive` would create the folder itself. */
async function makeFolders(root: string, name: string): Promise<void> {
  let folder = root;
  for (const part of name.split("/")) {
    const above = folder;
    folder = join(folder, part);
    const isNew = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
        throw error;
      },
    );
    if (isNew) await syncFolder(above);
  }
}

/** @returns false: there is no file. @throws AttestationRefused when there is another one */
async function isKept(target: string, sha256: string): Promise<boolean> {
  const found = await stat(target).catch(() => null);
  if (found === null) return false;
  if (found.isFile() && (await fileSha256(target)) === sha256) return true;
  throw new AttestationRefused(otherFileMessage(target));
}

/** As durable.ts: a link, unlike a rename, never replaces a file. */
async function nameNewFile(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if ((await stat(target).catch(() => null)) !== null) return;
    // The file system does not support hard links.
    if (!(error instanceof Error && "code" in error) || error.code === "ENOENT") throw error;
    await rename(temporary, target);
  }
}

async function explained<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainedAs(cannot(path), error);
  }
}

const cannot = (path: string) => `Records cannot be kept in ${path}`;
