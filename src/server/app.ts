// Owns the start and the shutdown of the server: creates its parts and connects them. Must never contain a rule about calls.

import { createAdmission } from "../calls/arrival/admission.ts";
import { createArrivalChecks } from "../calls/arrival/arrival-checks.ts";
import { createSignedIn } from "../calls/arrival/signed-in.ts";
import { createPerform } from "../calls/perform.ts";
import { createCallHistory } from "../calls/statistics/call-history.ts";
import { createCallStatistics } from "../calls/statistics/call-statistics.ts";
import type { Store } from "../calls/storage/store.ts";
import type { ChooseEngine } from "../engines/engines.ts";
import { chooseExtractor, defaultDetail } from "../memory/extraction/extractor.ts";
import { createLogger, type Logger } from "../platform/log/logger.ts";
import { spawnWorker } from "../platform/threads/spawn.ts";
import { createSupervisor, type Supervisor, type SupervisorOptions } from "../platform/threads/supervisor.ts";
import { createClock } from "../platform/time/clock.ts";
import type { ClockShift } from "../platform/time/clock-shift.ts";
import { commit, version } from "../platform/version.ts";
import { createCallLog } from "../transports/http/call-log.ts";
import type { Readiness } from "../transports/http/health.ts";
import type { Certificate } from "../transports/http/network/certificate.ts";
import type { HttpOptions } from "../transports/http/server.ts";
import { createMcpEndpoint } from "../transports/mcp/endpoint.ts";
import { createBackgroundWork } from "./background-work.ts";
import { backUpBeforeMigration } from "./backup/migration-backup.ts";
import type { Config, Loaded } from "./config/config.ts";
import { createConfirmationReader } from "./confirmations.ts";
import { isAccessibleToOthers } from "./data-directory/data-directory.ts";
import { type LockedDirectory, lockDirectory } from "./data-directory/directory-lock.ts";
import { type FirstStart, initialise } from "./data-directory/first-start.ts";
import { isDatabaseMissing } from "./data-directory/lost-database.ts";
import { acceptMissing, type LedgerDecision, openLedgerAtStart } from "./ledger/ledger-start.ts";
import { listenOnPort, requireLocalSocket, tryListenLocally } from "./listening.ts";
import { chooseModel, chooseModelInUse } from "./model/model-in-use.ts";
import { listenForMetrics, type MeasuredParts } from "./monitoring.ts";
import { publicGatewaySettings, publicLlmSettings, startEngines, startTools } from "./starting.ts";
import { createServerStatus, type ServerStatus } from "./status.ts";

export interface BackgroundApp {
  /** Refuses new calls, finishes running ones, completes pending writes and releases the data directory. `cause` is logged. */
  close(cause?: string): Promise<void>;
}

export interface App extends BackgroundApp, FirstStart {
  readonly url: string;
  readonly port: number;
  /** Where Prometheus reads the metrics; null: they are not served. */
  readonly metricsUrl: string | null;
  /** What the operator must know about the address, in sentences; null: nothing. */
  readonly warning: string | null;
  /** Reads the TLS certificate again; the previous one stays in use if that fails. Never throws. */
  reloadCertificate(): Promise<void>;
}

export interface AppOptions {
  readonly logger?: Logger;
  /** Moves the clock of all threads; see createClock. */
  readonly clockShift?: ClockShift | null;
  /** What to do if the database is missing or older than its checkpoints. */
  readonly decision?: LedgerDecision;
  /** Whether the first start makes a sign-in link. Default: if there is a console. */
  readonly makesLink?: boolean;
  /** The settings of the configuration with their sources, for people who ask for them. Default: none is shown. */
  readonly reports?: Loaded["reports"];
  /** Default: the engine of this program. */
  readonly chooseEngine?: ChooseEngine;
  /** Starts the threads of the embedder and the extractor; `chooseEngine` starts those of the engine. Tests use it to kill a thread. */
  readonly spawn?: NonNullable<SupervisorOptions["spawn"]>;
}

/** Listens on a TCP port and on the local socket. @throws Error that says what to do when the server cannot start */
export function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  return start(config, options, async (parts, locked, http, { measured, status }) => {
    let certificate: () => Certificate | null = () => null;
    const certificateEndsAt = () => certificate()?.endsAt ?? null;
    const metrics = await listenForMetrics(config, { ...measured, certificateEndsAt }, http);
    parts.defer(async () => metrics?.stop());
    const listening = await listenOnPort(config, http);
    certificate = listening.certificate;
    const { url, port, warning, reloadCertificate, stop } = listening;
    parts.defer(stop);
    status.listensOn(listening);
    const first = await initialise(http.perform, locked.engine, options.makesLink ?? config.console);
    const socket = tryListenLocally(locked.directory, http, url, config);
    // At once, because both wait for their running calls. Stopping a server twice changes nothing.
    parts.defer(async () => void (await Promise.all([socket?.close(), stop()])));
    return { url, port, metricsUrl: metrics?.url ?? null, warning, reloadCertificate, ...first };
  });
}

/**
 * Listens on the local socket only, and creates no key.
 * @param end called when the server is idle, or another program wants it to stop; the caller then closes it
 * @throws Error that says what to do when the server cannot start
 */
export function startBackgroundApp(
  config: Config,
  { end, ...options }: AppOptions & { readonly end: (cause: string) => void },
): Promise<BackgroundApp> {
  return start(config, options, async (parts, { directory }, http) => {
    const { backgroundIdleMinutes } = config;
    const idleMs = backgroundIdleMinutes === null ? null : backgroundIdleMinutes * 60_000;
    const socket = requireLocalSocket(directory, http, { idleMs, clock: http.clock, version, end });
    parts.defer(() => socket.close());
    return { url: null, metricsUrl: null };
  });
}

/** Opens the sockets. */
type Open<Opened> = (
  parts: AsyncDisposableStack,
  locked: LockedDirectory,
  http: HttpOptions,
  watched: { readonly measured: Omit<MeasuredParts, "certificateEndsAt">; readonly status: ServerStatus },
) => Promise<Opened>;

/** @returns what `open` returns, and how to close the server */
async function start<Opened extends Pick<App, "metricsUrl"> & { readonly url: string | null }>(
  config: Config,
  options: AppOptions,
  open: Open<Opened>,
): Promise<Opened & BackgroundApp> {
  const { logger = createLogger(config.logLevel), clockShift = null, decision = null } = options;
  const { spawn = spawnWorker, reports = [] } = options;
  await using parts = new AsyncDisposableStack();
  const locked = await lockDirectory(config.dataDir, options.chooseEngine);
  parts.defer(() => locked.release());
  if (isAccessibleToOthers(config.dataDir)) {
    logger.warn("the data directory is accessible to other users; run chmod 700 on it", {
      directory: config.dataDir,
    });
  }
  if (await isDatabaseMissing(locked)) chooseModel(config);
  const clock = createClock(clockShift);
  const supervisor = createSupervisor({ logger, clock, spawn });
  const background = createBackgroundWork();
  await backUpBeforeMigration(locked, config, logger);
  const ledger = await openLedgerAtStart(locked, {
    auditKey: config.auditKey,
    decision,
    now: clock.now(),
    logger,
  });
  const model = await chooseModelInUse(config, locked, logger);
  const engines = await startEngines(parts, locked, model, {
    config,
    ledger: ledger.files,
    logger,
    clock,
    clockShift,
    supervisor,
    onModelChange: background.modelHasChange,
    onRemember: background.hasAnswerToRemember,
  });
  const { store, embedder } = engines;
  const history = createCallHistory(clock);
  const statistics = createCallStatistics({ countsProjects: config.metricsProjects, history });
  const { tools, extraction, languageModel } = await startTools(parts, engines, {
    config,
    logger,
    clock,
    supervisor,
    knownBackups: background.knownBackups,
    statistics,
  });
  const { bodies, memoryOutcomes } = tools;
  const checks = createArrivalChecks(tools);
  const perform = createPerform(tools, checks);
  // Their connections are closed by then. They are recorded before the store is closed.
  parts.defer(() => checks.untilExchangesEnd());
  await acceptMissing(locked, ledger, perform, { now: clock.now(), logger });
  const calls = createCallLog({ logger, clock, statistics, isAccessLogged: config.accessLog });
  parts.defer(() => calls.close());
  const mcp = createMcpEndpoint({ perform, admit: createAdmission(tools, checks), clock, logger, calls });
  parts.defer(() => mcp.close());
  const isReady = () => readiness(store, supervisor);
  const console = config.console ? createSignedIn(tools, checks) : null;
  // The model can change.
  const build = () => ({
    format: locked.engine.format,
    model: embedder.current.model.id,
    extractor: chooseExtractor(tools.extractors, defaultDetail).extractor.name,
  });
  const status = createServerStatus(config, {
    store,
    supervisor,
    history,
    memoryOutcomes,
    readiness: isReady,
    build,
    confirmations: createConfirmationReader(background.attestations),
    reports,
    clock,
  });
  parts.use(status);
  const http = { perform, mcp, console, clock, logger, calls, readiness: isReady, overview: status };
  const counting = { embedder, extraction, languageModel, supervisor, statistics, memoryOutcomes };
  const measured = { store, ...counting, attestations: background.attestations, build };
  const opened = await open(parts, locked, http, { measured, status });
  // Event streams end before the sockets, which wait for what is running.
  parts.use(status);
  const { verifierKeys } = ledger.files;
  const started = { config, locked, store, verifierKeys, embedder, bodies, perform };
  background.start(parts, { ...started, supervisor, clock, logger });
  const startedAt = clock.elapsed();
  logger.info("server started", {
    version,
    commit,
    url: opened.url,
    metrics_url: opened.metricsUrl,
    data_directory: config.dataDir,
    ...build(),
    ...publicLlmSettings(config),
    ...publicGatewaySettings(config),
  });
  const running = parts.move();
  return {
    ...opened,
    async close(cause = "stopped by the program") {
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

/** A busy thread is ready; a thread that is restarting is not. */
async function readiness(store: Store, supervisor: Supervisor): ReturnType<Readiness> {
  const restarting = supervisor.restarting().map((name) => `the ${name} is restarting`);
  const reasons = new Set([...(await store.readiness()), ...restarting]);
  return { ready: reasons.size === 0, reasons: [...reasons] };
}
