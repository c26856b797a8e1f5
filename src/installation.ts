// Owns the hold on one data directory: at most one process uses it at a time. Must never wait long for another process.

import { existsSync } from "node:fs";
import { createRateLimiter } from "./access/rate.ts";
import { createClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { unavailable } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { prepareRuntime, type RuntimeFiles } from "./native/runtime.ts";
import { createPerform, type Perform } from "./perform.ts";
import { type Lock, takeLock } from "./sqlite/lock.ts";
import { openStore } from "./sqlite/store.ts";

/** The data directory is held by another process for longer than a command takes. */
export class DirectoryInUse extends Error {
  constructor(root: string) {
    super(
      `The data directory ${root} is in use by another memledger. Stop that one, or choose another directory with --data-dir.`,
    );
  }
}

export interface Held {
  readonly directory: DataDirectory;
  readonly runtime: RuntimeFiles;
  release(): void;
}

/** A command holds the directory for a moment only; a server that ends may need a little longer. */
const holdWaitMs = 3_000;
const holdRetryMs = 50;

/** Creates the directory when there is none. @throws DirectoryInUse */
export async function holdDirectory(root: string): Promise<Held> {
  const directory = openDataDirectory(root);
  const runtime = prepareRuntime(directory.runtime);
  for (let waitedMs = 0; waitedMs <= holdWaitMs; waitedMs += holdRetryMs) {
    const lock = tryLock(directory, runtime);
    if (lock !== null) return { directory, runtime, release: () => lock.release() };
    await Bun.sleep(holdRetryMs);
  }
  throw new DirectoryInUse(root);
}

/** The directory for one command, or null when another process holds it now. */
export function tryHoldDirectory(root: string): Held | null {
  const directory = openDataDirectory(root);
  const runtime = prepareRuntime(directory.runtime);
  const lock = tryLock(directory, runtime);
  return lock === null ? null : { directory, runtime, release: () => lock.release() };
}

function tryLock(directory: DataDirectory, runtime: RuntimeFiles): Lock | null {
  try {
    return takeLock(directory.lock, runtime);
  } catch (cause) {
    throw new Error(
      `${directory.lock} cannot be locked. Make the data directory writable for this user, on a file system with locks.`,
      { cause },
    );
  }
}

export interface Administration {
  readonly perform: Perform;
  close(): Promise<void>;
}

/** Opens the database without a model: enough for projects and keys, whatever model its memories belong to. */
export function openAdministration(
  { directory, runtime }: Held,
  config: Config,
  logger: Logger,
): Administration {
  const store = openStore({
    path: directory.database,
    runtime,
    model: null,
    plans: config.plans,
    searchCacheBytes: 0,
    groupCommit: false,
    clockOffset: null,
    logger,
    logLevel: config.logLevel,
  });
  const perform = createPerform({
    store,
    logger,
    clock: createClock(),
    plans: config.plans,
    limiter: createRateLimiter(),
    embed: async () => {
      throw unavailable("No embedding model is loaded for administration.");
    },
  });
  return { perform, close: () => store.close() };
}

export function hasDatabase({ database }: DataDirectory): boolean {
  return existsSync(database);
}
