// Owns the hold on one data directory: at most one process uses it at a time. Must never wait long for another process.

import { createRateLimiter } from "../access/rate.ts";
import { createPerform, type Perform, type PerformTools } from "../calls/perform.ts";
import { createClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { unavailable } from "../errors.ts";
import type { Cause } from "../files/system-error.ts";
import type { Logger } from "../log/logger.ts";
import { prepareRuntime, type RuntimeFiles } from "../native/runtime.ts";
import { SqliteError } from "../native/sqlite.ts";
import { explainDiskFailure } from "../storage/sqlite/database-file/disk-failure.ts";
import { type Lock, takeLock } from "../storage/sqlite/database-file/lock.ts";
import { openStore } from "../storage/sqlite/store.ts";
import { quoteWord } from "../text/shell-word.ts";
import { findAdminSocket } from "../transports/command-socket/command-socket.ts";
import { type DataDirectory, locate, openDataDirectory } from "./data-directory.ts";
import { type HeldDirectory, openLedger } from "./ledger.ts";
import type { LedgerFiles } from "./ledger-files.ts";
import { isDatabaseMissing, refuseLostDatabase, refuseOlderDatabase } from "./lost-database.ts";

/** The data directory is held by another process for longer than a command takes. */
export class DirectoryInUse extends Error {
  constructor(root: string) {
    super(
      `The data directory ${root} is in use by another memledger. Stop that one, or choose another directory with --data-dir.`,
    );
  }
}

export interface Held extends HeldDirectory {
  release(): void;
}

/** A command holds the directory for a moment only; a server that ends may need a little longer. */
const holdWaitMs = 3_000;
const holdRetryMs = 50;

/** Creates the directory when there is none. @throws DirectoryInUse */
export async function holdDirectory(root: string): Promise<Held> {
  const tryHold = createHolder(root);
  for (let waitedMs = 0; waitedMs <= holdWaitMs; waitedMs += holdRetryMs) {
    const held = tryHold();
    if (held !== null) return held;
    if (await isServed(locate(root))) break;
    await Bun.sleep(holdRetryMs);
  }
  throw new DirectoryInUse(root);
}

/** Creates the directory when there is none. Each call of the result answers null while another process holds it. */
export function createHolder(root: string): () => Held | null {
  const directory = openDataDirectory(root);
  const runtime = prepareRuntime(directory.runtime);
  return () => {
    const lock = tryLock(directory, runtime);
    return lock === null ? null : { directory, runtime, release: () => lock.release() };
  };
}

/** Whether a server is up and will stay; one that ends has closed its socket already. */
async function isServed({ socket }: DataDirectory): Promise<boolean> {
  const unix = findAdminSocket(socket);
  if (unix === null) return false;
  return fetch("http://localhost/", { unix }).then(
    () => true,
    () => false,
  );
}

/** @throws Error that says what to do when no server has been started in the directory yet, or its database is lost. */
export function requireDatabase(root: string): void {
  const directory = locate(root);
  refuseLostDatabase(directory);
  if (!isDatabaseMissing(directory)) return;
  throw new Error(
    `There is no memledger database in ${root}. Correct --data-dir, or start a server there first: memledger serve --data-dir ${quoteWord(root)}`,
  );
}

function tryLock(directory: DataDirectory, runtime: RuntimeFiles): Lock | null {
  try {
    return takeLock(directory.lock, runtime);
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    const { cause, remedy } = explainDiskFailure(error, directory.lock) ?? noLocks;
    throw new Error(`${directory.lock} cannot be locked: ${cause}. ${remedy}`, { cause: error });
  }
}

const noLocks: Cause = {
  cause: "the file system has no locks",
  remedy: "Choose a data directory on a local file system with --data-dir.",
};

export interface Administration {
  readonly perform: Perform;
  /** Begins to work on exports that are processing, until `close`. */
  startExports(): void;
  close(): Promise<void>;
}

/** Opens the database without a model: enough for projects and keys, whatever model its memories belong to. */
export function openAdministration(held: Held, config: Config, logger: Logger): Administration {
  const { files, missing } = openLedger(held, config.auditKey);
  refuseOlderDatabase(held.directory, missing);
  return openAdministrationWith(held, config, files, logger);
}

/** The same with a signing key that somebody else has decided on. */
export function openAdministrationWith(
  { directory, runtime }: Held,
  config: Config,
  ledger: LedgerFiles,
  logger: Logger,
): Administration {
  const store = openStore({
    path: directory.database,
    runtime,
    model: null,
    plans: config.plans,
    ledger,
    payloadRetentionDays: config.payloadRetentionDays,
    installationRetentionDays: config.installationRetentionDays,
    searchCacheBytes: 0,
    groupCommit: false,
    clockShift: null,
    logger,
    logLevel: config.logLevel,
  });
  const perform = createPerform({
    store,
    logger,
    clock: createClock(),
    plans: config.plans,
    prices: config.prices,
    limiter: createRateLimiter(),
    ...administrationOnly,
  });
  return { perform, startExports: () => store.exports.start(), close: () => store.close() };
}

const refuse = async () => {
  throw unavailable("No model is loaded for administration.");
};
const administrationOnly: Pick<PerformTools, "embed" | "extractor"> = {
  embed: refuse,
  extractor: { name: "built-in", extract: refuse },
};
