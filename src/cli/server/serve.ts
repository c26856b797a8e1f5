// Binds `memledger serve`: starts the server, prints its address when it is ready, and shuts it down at a signal.

import { type Command, Option } from "commander";
import { replaceBackgroundServer } from "../../assistants/local-access/background-server.ts";
import { ModelMismatch } from "../../calls/storage/engine.ts";
import { backgroundCheckMs, endDeadlineMs, httpGraceMs } from "../../platform/limits.ts";
import { shortenOwnLog } from "../../platform/log/log-file.ts";
import { createLogger } from "../../platform/log/logger.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { endWithin } from "../../platform/threads/process-deadline.ts";
import { createClock } from "../../platform/time/clock.ts";
import type { ClockTimer } from "../../platform/time/clock-timers.ts";
import { type AppOptions, startApp, startBackgroundApp } from "../../server/app.ts";
import type { Config } from "../../server/config/config.ts";
import { ConfigError } from "../../server/config/config-file.ts";
import { headingOf } from "../../server/config/setting-groups.ts";
import { settings } from "../../server/config/settings.ts";
import type { SettingReport } from "../../server/config/sources.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import type { LedgerDecision } from "../../server/ledger/ledger-start.ts";
import { addServerSettings, bindWork, type Invocation, type Session } from "../command.ts";
import { versionText } from "../help/version.ts";
import type { Report, Terminal } from "../terminal.ts";
import { readyReport } from "./ready-report.ts";
import { listenForSignals, type Signals } from "./signals.ts";

export function addServeCommand(program: Command, session: Session): void {
  const command = program.command("serve").description("Start the server.");
  addServerSettings(command, headingOf);
  command
    .option(
      "--new-installation",
      "start with a new database when the database is lost; the remaining files of the previous installation are moved to a separate folder",
    )
    .addOption(
      new Option(
        "--restored-backup",
        "accept a restored database that is older than its checkpoints; this is recorded in the ledger",
      ).conflicts("newInstallation"),
    )
    .option(
      "--background",
      "serve only programs of this user, without a port, and end when idle, as the server that memledger mcp starts",
    );
  bindWork(command, session, async ({ config, reports, ignoredVariables, retired, options, terminal }) => {
    const signals = listenForSignals(config.logLevel, config.tls !== null, deadlineOf(config, options));
    const logger = createLogger(config.logLevel);
    if (ignoredVariables.length > 0) {
      logger.info("ignored variables that Kubernetes or Docker set for a service", {
        names: ignoredVariables,
      });
    }
    if (retired.length > 0) {
      logger.warn("settings of earlier versions have no effect; remove them", { names: retired });
    }
    const run = options.background === true ? runBackground : runServer;
    await run(config, { logger, decision: decisionOf(options), reports }, terminal, signals).catch(
      (error: unknown) => {
        throw withCommandLine(error, config);
      },
    );
    return null;
  });
}

/** Only here: commands and background servers may know the file of settings, and not the options of the server. @throws ConfigError */
function refuseLoneSchedule({ backupDir }: Config, reports: readonly SettingReport[] = []): void {
  const names: readonly string[] = [settings.backupEvery.name, settings.backupKeep.name];
  const lone = reports.find(({ name, source }) => names.includes(name) && source !== "default");
  if (backupDir !== null || lone === undefined) return;
  throw new ConfigError(
    `${lone.name} is set, but backup-dir is not, so no backup would be made. Set the folder for scheduled backups, or unset ${lone.name}.`,
  );
}

type Run = (
  config: Config,
  options: Pick<AppOptions, "logger" | "decision" | "reports">,
  terminal: Terminal,
  signals: Signals,
) => Promise<void>;

/** Replaces a background server of the directory. */
const runServer: Run = async (config, options, terminal, signals) => {
  refuseLoneSchedule(config, options.reports);
  const start = () => startApp(config, { ...options, makesLink: config.console && terminal.showsSecrets });
  const app = await replaceBackgroundServer(config.dataDir, start);
  signals.onReload(() => void app.reloadCertificate());
  await printReady(terminal, readyReport(app, config, terminal));
  await app.close(await signals.end);
};

const runBackground: Run = async (config, options, terminal, signals) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const log = keepLogShort(config.dataDir);
  const app = await startBackgroundApp(config, { ...options, end });
  const data = { event: "ready", url: null, pid: process.pid };
  const text = `${versionText} is running in the background of ${config.dataDir}.`;
  await printReady(terminal, { data, text });
  const cause = await Promise.race([signals.end, ended]);
  endWithin({ afterMs: endDeadlineMs, logLevel: config.logLevel });
  await app.close(cause);
  log.cancel();
};

/** A server whose output nobody can read serves all the same. */
async function printReady(terminal: Terminal, report: Report): Promise<void> {
  await terminal.print(report).catch((error: Error) => terminal.writeError(`memledger: ${error.message}`));
}

/** Programs that wait for a background server to end know nothing of its settings. */
function deadlineOf({ shutdownGraceSeconds }: Config, { background }: Invocation["options"]): number {
  return background === true ? endDeadlineMs : shutdownGraceSeconds * 1_000 + endDeadlineMs - httpGraceMs;
}

function keepLogShort(dataDir: string): ClockTimer {
  const { log: path, previousLog: previous } = locate(dataDir);
  return createClock().every(backgroundCheckMs, () => shortenOwnLog({ path, previous }));
}

function decisionOf({ newInstallation, restoredBackup }: Invocation["options"]): LedgerDecision {
  if (newInstallation === true) return "new-installation";
  return restoredBackup === true ? "restored-backup" : null;
}

/** Adds the complete command to the error of the store. */
function withCommandLine(error: unknown, { dataDir, model }: Config): unknown {
  if (!(error instanceof ModelMismatch)) return error;
  const words = [
    "memledger",
    "reembed",
    "--data-dir",
    dataDir,
    ...(model === null ? [] : ["--model", model]),
  ];
  error.message += ` To use the configured model, run: ${words.map(quoteWord).join(" ")}`;
  return error;
}
