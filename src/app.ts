// Wires the parts of a running server together and takes them apart again. Decides nothing that a call could notice.

import { createRateLimiter } from "./access/rate.ts";
import { createPerform, type Perform } from "./calls/perform.ts";
import { type Clock, createClock } from "./clock.ts";
import type { ClockShift } from "./clock-shift.ts";
import type { Config } from "./config/config.ts";
import { isAccessibleToOthers } from "./data-directory/data-directory.ts";
import { type Held, holdDirectory } from "./data-directory/directory-hold.ts";
import { initialise } from "./data-directory/first-start.ts";
import { acceptMissing, type LedgerDecision, openLedgerAtStart } from "./data-directory/ledger-start.ts";
import { type Embedder, startEmbedder } from "./embedding/embedder.ts";
import { readModelConfig } from "./embedding/model.ts";
import { defaultModel, type ModelSource, readModelDirectory } from "./embedding/model-directory.ts";
import { createBuiltInExtractor } from "./extraction/built-in-thread.ts";
import { createLlmExtractor } from "./extraction/llm-extractor.ts";
import { createLogger, type LogFields, type Logger } from "./log/logger.ts";
import type { Extractor } from "./memory/extractor.ts";
import type { LedgerFiles } from "./storage/engine.ts";
import type { ChooseEngine } from "./storage/engines.ts";
import type { Store } from "./storage/store.ts";
import { spawnWorker } from "./threads/spawn.ts";
import { createSupervisor, type Supervisor, type SupervisorOptions } from "./threads/supervisor.ts";
import { openAdminSocket } from "./transports/command-socket/command-socket.ts";
import { type CallLog, createCallLog } from "./transports/http/call-log.ts";
import type { Readiness } from "./transports/http/health.ts";
import { explainListenFailure } from "./transports/http/listen-failure.ts";
import { type RunningServer, startServer } from "./transports/http/server.ts";
import { commit, version } from "./version.ts";

export interface App {
  readonly url: string;
  readonly port: number;
  /** The project "default", else the oldest one; null when all have been deleted. */
  readonly projectId: string | null;
  /** Of the key made by this start; null when there were keys already. */
  readonly apiKey: string | null;
  /** Takes no new calls, finishes the running ones, writes what is due and frees the data directory. `cause` is for the log. */
  close(cause?: string): Promise<void>;
}

export interface AppOptions {
  readonly logger?: Logger;
  /** Moves the clock of all threads; see createClock. */
  readonly clockShift?: ClockShift | null;
  /** About a database that is missing or older than its checkpoints. */
  readonly decision?: LedgerDecision;
  /** Default: the engine of this program. */
  readonly chooseEngine?: ChooseEngine;
  /** Starts the threads of the embedder and the extractor; `chooseEngine` those of the engine. Tests reach the threads that they kill. */
  readonly spawn?: NonNullable<SupervisorOptions["spawn"]>;
}

/** @throws Error that says what to do when something is missing, in use or does not fit. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { logger = createLogger(config.logLevel), clockShift = null, decision = null } = options;
  const { spawn = spawnWorker } = options;
  await using parts = new AsyncDisposableStack();
  const held = await holdDirectory(config.dataDir, options.chooseEngine);
  parts.defer(() => held.release());
  if (isAccessibleToOthers(config.dataDir)) {
    logger.warn("the data directory is accessible to other users; run chmod 700 on it", {
      directory: config.dataDir,
    });
  }
  const model = chooseModel(config);
  const clock = createClock(clockShift);
  const supervisor = createSupervisor({ logger, clock, spawn });
  const ledger = await openLedgerAtStart(held, {
    auditKey: config.auditKey,
    decision,
    now: clock.now(),
    logger,
  });
  const { store, embedder } = await startEngines(parts, held, model, {
    config,
    ledger: ledger.files,
    logger,
    clockShift,
    supervisor,
  });
  const extractor = await chooseExtractor(parts, config, supervisor, logger);
  const perform = createPerform({
    store,
    clock,
    logger,
    plans: config.plans,
    prices: config.prices,
    limiter: createRateLimiter(),
    embed: (text, role, waiter) => embedder.embed(text, role, waiter),
    extractor,
  });
  await acceptMissing(held, ledger, perform, { now: clock.now(), logger });
  const calls = createCallLog(logger, config.accessLog);
  parts.defer(() => calls.close());
  const server = await listen(config, {
    ...{ perform, clock, logger, calls, readiness: () => readiness(store, supervisor) },
  });
  parts.defer(() => server.stop());
  const first = await initialise(perform, held.engine);
  openAdministrationDoor(parts, held, perform, logger);
  store.exports.start();
  const startedAt = clock.elapsed();
  logger.info("server started", {
    ...{ version, commit, url: server.url, data_directory: config.dataDir, format: held.engine.format },
    ...{ model: embedder.model.id, extractor: extractor.name, ...publicPart(config) },
  });
  const running = parts.move();
  return {
    ...{ url: server.url, port: server.port, ...first },
    async close(cause = "closed by its program") {
      const endedAt = clock.elapsed();
      await running.disposeAsync();
      logger.info("server stopped", {
        cause,
        uptime_seconds: Math.round((endedAt - startedAt) / 1000),
        stop_ms: Math.round(clock.elapsed() - endedAt),
      });
    },
  };
}

/** The model that the configuration names. @throws Error that says what to do about its directory. */
export function chooseModel({ model }: Config): ModelSource {
  return model === null ? defaultModel() : readModelDirectory(model);
}

/** The language model that is configured, else the rules; never one in place of the other when it fails. */
async function chooseExtractor(
  parts: AsyncDisposableStack,
  { llm }: Config,
  supervisor: Supervisor,
  logger: Logger,
): Promise<Extractor> {
  if (llm !== null) {
    return createLlmExtractor({ ...llm, timeoutMs: llm.timeoutSeconds * 1_000, logger });
  }
  const builtIn = createBuiltInExtractor(supervisor);
  parts.defer(() => builtIn.close());
  return builtIn;
}

/** Of the language model's address not even the query, which may hold a key. */
function publicPart({ llm }: Config): LogFields {
  if (llm === null) return {};
  const { origin, pathname } = new URL(llm.baseUrl);
  return { llm_base_url: `${origin}${pathname}`, llm_model: llm.model };
}

interface EngineOptions {
  readonly config: Config;
  readonly ledger: LedgerFiles;
  readonly logger: Logger;
  readonly clockShift: ClockShift | null;
  readonly supervisor: Supervisor;
}

/** The embedder loads its model in its own thread while this one opens the database. */
async function startEngines(
  parts: AsyncDisposableStack,
  { engine, runtime }: Held,
  model: ModelSource,
  { config, ledger, logger, clockShift, supervisor }: EngineOptions,
): Promise<{ store: Store; embedder: Embedder }> {
  const { dimensions } = readModelConfig(model);
  const starting = startEmbedder({ runtime, model, threads: config.embeddingThreads, supervisor });
  const started = starting.catch(() => null);
  parts.defer(async () => (await started)?.close());
  const store = await engine.open({
    model: { id: model.id, sha256: model.sha256, dimensions },
    plans: config.plans,
    ledger,
    payloadRetentionDays: config.payloadRetentionDays,
    installationRetentionDays: config.installationRetentionDays,
    searchCacheBytes: config.searchCacheMb * 1024 * 1024,
    groupCommit: config.groupCommit,
    clockShift,
    logger,
    logLevel: config.logLevel,
  });
  parts.defer(() => store.close());
  return { store, embedder: await starting };
}

interface ListenOptions {
  readonly perform: Perform;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly readiness: Readiness;
}

async function listen(config: Config, options: ListenOptions): Promise<RunningServer> {
  const { host: hostname, port, trustedProxies } = config;
  try {
    return startServer({ ...options, hostname, port, trustedProxies });
  } catch (error) {
    throw await explainListenFailure(error, hostname, port);
  }
}

/** A busy thread is ready; one that is being restarted is not. */
async function readiness(store: Store, supervisor: Supervisor): ReturnType<Readiness> {
  const restarting = supervisor.restarting().map((name) => `the ${name} is restarting`);
  const reasons = [...new Set([...(await store.readiness()), ...restarting])];
  return { ready: reasons.length === 0, reasons };
}

/** A file system without sockets must not keep the server from running. */
function openAdministrationDoor(
  parts: AsyncDisposableStack,
  { directory }: Held,
  perform: Perform,
  logger: Logger,
): void {
  try {
    const socket = openAdminSocket(directory.socket, perform);
    parts.defer(() => socket.close());
  } catch (error) {
    logger.warn("commands cannot connect to this server; stop it before you run a command", { error });
  }
}
