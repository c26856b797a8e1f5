// Owns the checks of `memledger doctor` that concern what the server runs on: directory, disk, other processes, model. Each returns what
// it found, or throws what is wrong. Must never change what it examines.

import { statfsSync, statSync } from "node:fs";
import { chooseModel } from "../app.ts";
import type { Config } from "../config/config.ts";
import { type DataDirectory, isOpenToOthers } from "../data-directory/data-directory.ts";
import { isDatabaseMissing } from "../data-directory/lost-database.ts";
import { requireOwnership } from "../data-directory/ownership.ts";
import { startEmbedder } from "../embedding/embedder.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import { inspect } from "../storage/sqlite/database-file/inspect.ts";
import { takeLock } from "../storage/sqlite/database-file/lock.ts";
import { quoteWord } from "../text/shell-word.ts";

/** What is examined, once its native libraries are known to be good. */
export interface Examined {
  readonly directory: DataDirectory;
  readonly runtime: RuntimeFiles;
  /** File of a signing key that is kept elsewhere; null: the one in the data directory. */
  readonly auditKey: string | null;
}

/** Below this much free space a busy server may fill the disk within a day. */
const lowSpaceBytes = 512 * 1024 * 1024;

export function checkOwner({ root }: DataDirectory): string {
  const info = statSync(root, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) {
    const found = info === undefined ? "does not exist" : "is not a directory";
    throw new Error(`${root} ${found}. Correct --data-dir, or create it with: memledger serve`);
  }
  requireOwnership(root);
  return process.geteuid === undefined ? "not checked on this system" : `user ${info.uid}`;
}

export function checkDirectory({ root }: DataDirectory): string {
  if (isOpenToOthers(root)) {
    throw new Error(`${root} is accessible to other users. Close it: chmod 700 ${quoteWord(root)}`);
  }
  return root;
}

export function checkDisk({ root }: DataDirectory): string {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  const text = `${Math.floor(free / 1024 / 1024)} MiB free`;
  if (free < lowSpaceBytes) {
    throw new Error(`Only ${text}. Free disk space before the server has to refuse calls.`);
  }
  return text;
}

export function checkServer({ directory: { lock }, runtime }: Examined): string {
  if (!statSync(lock, { throwIfNoEntry: false })) return "never ran here";
  const taken = takeLock(lock, runtime);
  taken?.release();
  return taken === null ? "running" : "not running";
}

export async function checkModel(config: Config, { directory, runtime }: Examined): Promise<string> {
  const embedder = await startEmbedder({ runtime, model: chooseModel(config) });
  try {
    await embedder.embed("Does the model work?", "query");
    const { id, sha256, dimensions } = embedder.model;
    const bound = isDatabaseMissing(directory) ? null : inspect({ path: directory.database, runtime }).model;
    if (bound !== null && bound.sha256 !== sha256) {
      throw new Error(
        `The database is bound to the model ${bound.id}, not to ${id}. Name its directory with --model, or run memledger reembed.`,
      );
    }
    return `${id}, ${dimensions} dimensions, works`;
  } finally {
    await embedder.close();
  }
}
