// Owns the lock of a data directory: at most one process uses it at a time. Must never wait long for another process.

import { createRateLimiter } from "../../access/rate.ts";
import { createTokens } from "../../access/token.ts";
import { createSigner } from "../../audit/signed-note.ts";
import { createPerform, type Perform, type PerformTools } from "../../calls/perform.ts";
import type { LedgerFiles } from "../../calls/storage/engine.ts";
import type { Store } from "../../calls/storage/store.ts";
import { type ChooseEngine, chooseEngine } from "../../engines/engines.ts";
import { bodiesHere } from "../../gateway/bodies.ts";
import { noReranker } from "../../memory/search/reranker.ts";
import { unavailable } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { prepareRuntime, type RuntimeFiles } from "../../platform/native/runtime.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { createClock } from "../../platform/time/clock.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { backUpBeforeMigration } from "../backup/migration-backup.ts";
import type { Config } from "../config/config.ts";
import { findBackgroundServer } from "../find-background-server.ts";
import { openLedger } from "../ledger/ledger.ts";
import { assistantsAdvice } from "./assistants-advice.ts";
import { type DataDirectory, locate, openDataDirectory } from "./data-directory.ts";
import { DirectoryInUse } from "./directory-in-use.ts";
import {
  type DatabasePlace,
  isDatabaseMissing,
  refuseLostDatabase,
  refuseOlderDatabase,
} from "./lost-database.ts";
import { reportedSettingsOf } from "./reported-settings.ts";
import { storeSettingsOf } from "./store-settings.ts";

export interface LockedDirectory extends DatabasePlace {
  readonly runtime: RuntimeFiles;
  release(): void;
}

/** Commands release the lock quickly; a server that is stopping may need longer. */
const lockWaitMs = 3_000;
const lockRetryMs = 50;

/** Creates the directory if it does not exist. @throws DirectoryInUse */
export async function lockDirectory(
  root: string,
  choose: ChooseEngine = chooseEngine,
): Promise<LockedDirectory> {
  const tryLock = createDirectoryLocker(root, choose);
  for (let waitedMs = 0; waitedMs <= lockWaitMs; waitedMs += lockRetryMs) {
    const locked = await tryLock();
    if (locked !== null) return locked;
    if (await isServed(locate(root))) break;
    await Bun.sleep(lockRetryMs);
  }
  throw new DirectoryInUse(root, await findBackgroundServer(root));
}

/** Creates the directory if it does not exist. @returns a function that locks it, or returns null while another process has the lock */
export function createDirectoryLocker(
  root: string,
  choose: ChooseEngine = chooseEngine,
): () => Promise<LockedDirectory | null> {
  const directory = openDataDirectory(root);
  const runtime = prepareRuntime(directory.runtime);
  const engine = choose(directory, () => runtime);
  return async () => {
    const lock = await engine.takeLock();
    return lock === null ? null : { directory, engine, runtime, release: () => lock.release() };
  };
}

/** Whether a server is running. A server that is stopping has already closed its socket. */
async function isServed({ socket }: DataDirectory): Promise<boolean> {
  const unix = findLocalSocket(socket);
  if (unix === null) return false;
  return fetch("http://localhost/", { unix }).then(
    () => true,
    () => false,
  );
}

/** @throws Error that says what to do when the directory has no database, or the database is lost */
export async function requireDatabase(root: string): Promise<void> {
  const directory = locate(root);
  const place = { directory, engine: chooseEngine(directory) };
  await refuseLostDatabase(place);
  if (!(await isDatabaseMissing(place))) return;
  throw new Error(
    `There is no memledger database in ${root}. ${assistantsAdvice(root)}Correct --data-dir, or create the database by starting the server: memledger serve --data-dir ${quoteWord(root)}`,
  );
}

export interface Administration {
  readonly store: Store;
  readonly perform: Perform;
  /** Starts to work on unfinished exports, until `close`. */
  startExports(): void;
  close(): Promise<void>;
}

/** Opens the database without a model, which projects and keys do not need. */
export async function openAdministration(
  locked: LockedDirectory,
  config: Config,
  logger: Logger,
): Promise<Administration> {
  await backUpBeforeMigration(locked, config, logger);
  const { files, missing } = await openLedger(locked, config.auditKey);
  refuseOlderDatabase(locked, missing);
  return openAdministrationWith(locked, config, files, logger);
}

/** The same with a signing key that the caller has chosen. */
export async function openAdministrationWith(
  { engine }: LockedDirectory,
  config: Config,
  ledger: LedgerFiles,
  logger: Logger,
): Promise<Administration> {
  const store = await engine.open({
    ...storeSettingsOf(config),
    model: null,
    ledger,
    searchCacheBytes: 0,
    searchThreads: 0,
    groupCommit: false,
    clockShift: null,
    logger,
  });
  const perform = createPerform({
    store,
    logger,
    clock: createClock(),
    plans: config.plans,
    settings: reportedSettingsOf(config),
    prices: config.prices,
    gateway: config.gateway,
    limiter: createRateLimiter(),
    tokens: createTokens(createSigner(ledger.signingKey)),
    ...administrationOnly,
  });
  return { store, perform, startExports: () => store.exports.start(), close: () => store.close() };
}

const refuse = async () => {
  throw unavailable("No model is loaded for administration. Start the server and send the call to it.");
};
const administrationOnly: Pick<
  PerformTools,
  | "embed"
  | "embeddingModel"
  | "extractors"
  | "redactor"
  | "forward"
  | "memoryOutcomes"
  | "injectedSections"
  | "bodies"
  | "reranker"
> = {
  embed: refuse,
  embeddingModel: () => "none",
  reranker: noReranker,
  forward: refuse,
  memoryOutcomes: { count() {} },
  injectedSections: { find: () => null, keep() {} },
  bodies: bodiesHere,
  extractors: {
    builtIn: { name: "built-in", extract: refuse },
    languageModel: null,
    passagesLastMs: null,
  },
  redactor: { redactSource: refuse, redactItems: refuse },
};
