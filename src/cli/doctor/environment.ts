// Owns the checks of `memledger doctor` on the environment of the server: directory, disk, other processes, model. Each returns its
// result, or throws an Error. Must never change the data that it checks.

import { statfsSync, statSync } from "node:fs";
import { readBackupState } from "../../calls/operations/backups/last-backup.ts";
import type { ModelChange } from "../../calls/storage/model-change-store.ts";
import { startEmbedder } from "../../models/embedding/embedder.ts";
import { freeDiskCriticalBytes } from "../../platform/files/limits.ts";
import { createLogger } from "../../platform/log/logger.ts";
import type { RuntimeFiles } from "../../platform/native/runtime.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { createClock } from "../../platform/time/clock.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { Config } from "../../server/config/config.ts";
import { assistantsAdvice } from "../../server/data-directory/assistants-advice.ts";
import { type DataDirectory, isAccessibleToOthers } from "../../server/data-directory/data-directory.ts";
import { requireFileKinds } from "../../server/data-directory/file-kinds.ts";
import { type DatabasePlace, isDatabaseMissing } from "../../server/data-directory/lost-database.ts";
import { requireOwnership } from "../../server/data-directory/ownership.ts";
import { chooseModel, chooseModelInUse } from "../../server/model/model-in-use.ts";
import {
  type CertificateFiles,
  nearEnd,
  readCertificate,
} from "../../transports/http/network/certificate.ts";

/** The input of the checks that need the native libraries. */
export interface CheckedDirectory extends DatabasePlace {
  readonly runtime: RuntimeFiles;
  /** Path of the signing key, if it is not in the data directory; null: the key in the data directory. */
  readonly auditKey: string | null;
}

export function checkOwner({ root }: DataDirectory): string {
  const info = statSync(root, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) {
    const found = info === undefined ? "does not exist" : "is not a directory";
    throw new Error(
      `${root} ${found}. ${assistantsAdvice(root)}Correct --data-dir, or create it with: memledger serve`,
    );
  }
  requireOwnership(root);
  return process.geteuid === undefined ? "not checked on this system" : `user ${info.uid}`;
}

export function checkDirectory({ root }: DataDirectory): string {
  if (isAccessibleToOthers(root)) {
    throw new Error(
      `${root} is accessible to other users. Remove their access: chmod 700 ${quoteWord(root)}`,
    );
  }
  requireFileKinds(root);
  return root;
}

export function checkDisk({ root }: DataDirectory): string {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  const text = `${Math.floor(free / 1024 / 1024)} MiB free`;
  if (free < freeDiskCriticalBytes) {
    throw new Error(`Only ${text}. Free disk space: a server without disk space refuses all calls.`);
  }
  return text;
}

/** A failure of a scheduled backup is a fault until the next one is completed. */
export function checkBackups({ root }: DataDirectory): string {
  const { last, failure } = readBackupState(root);
  const text =
    last === null
      ? "none was made"
      : `the last one at ${toTimestamp(last.atMs)}, ${last.bytes} bytes, ${last.path}`;
  if (failure === null) return text;
  throw new Error(
    `A scheduled backup failed at ${toTimestamp(failure.atMs)}, and is tried again; ${text}. The cause: ${failure.message}`,
  );
}

export async function checkServer({ directory, engine }: CheckedDirectory): Promise<string> {
  if (!statSync(directory.lock, { throwIfNoEntry: false })) return "no server has run here yet";
  const taken = await engine.takeLock();
  taken?.release();
  return taken === null ? "running" : "not running";
}

/** @throws Error also when the certificate should have been renewed */
export function checkCertificate(files: CertificateFiles): string {
  const now = createClock().now();
  const certificate = readCertificate(files, now);
  const ending = nearEnd(certificate, now);
  if (ending !== null) throw new Error(`${ending}. Renew it, then send SIGHUP to the server.`);
  return `${certificate.name}, until ${new Date(certificate.endsAt).toISOString().slice(0, 10)}`;
}

export async function checkModel(config: Config, checked: CheckedDirectory): Promise<string> {
  const { engine, runtime, directory } = checked;
  const model = await chooseModelInUse(config, checked, createLogger("silent")).catch((error: unknown) => {
    // If the database cannot be read, the configured directory is checked.
    chooseModel(config);
    throw error;
  });
  const embedder = await startEmbedder({ runtime, model });
  try {
    await embedder.embed("Does the model work?", "query");
    const { id, sha256, dimensions } = embedder.model;
    const { model: bound, modelChange } = (await isDatabaseMissing({ engine }))
      ? { model: null, modelChange: null }
      : await engine.inspect();
    if (bound !== null && bound.sha256 !== sha256) {
      throw new Error(
        `The database contains embeddings of the model ${bound.id}, but ${id} is configured. Set --model to the directory of ${bound.id}, or run "memledger reembed".`,
      );
    }
    const next = modelChange === null ? "" : `; ${describeChange(modelChange, directory.root)}`;
    return `${id} (sha256 ${sha256.slice(0, 12)}), ${dimensions} dimensions, test embedding computed${next}`;
  } finally {
    await embedder.close();
  }
}

/** @throws Error when the change does not continue */
function describeChange({ to, done, failure }: ModelChange, root: string): string {
  if (failure === null)
    return `a change to ${to.id} is in progress, ${counted(done, "memory", "memories")} done`;
  throw new Error(
    `The change of the model to ${to.id} failed: ${failure} Correct this and run memledger reembed again with the directory of ${to.id}, or cancel the change: memledger reembed --cancel --data-dir ${quoteWord(root)}`,
  );
}
