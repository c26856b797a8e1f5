// Binds `memledger serve`: starts the server, prints its address when it is ready, and shuts it down at a signal.

import { type Command, Option } from "commander";
import { type App, startApp } from "../app.ts";
import type { Config } from "../config/config.ts";
import { generalSettings } from "../config/settings.ts";
import type { LedgerDecision } from "../data-directory/ledger-start.ts";
import { endDeadlineMs } from "../limits.ts";
import { createLogger, type LogLevel } from "../log/logger.ts";
import { isHangupIgnored } from "../native/hangup.ts";
import { ModelMismatch } from "../storage/engine.ts";
import { quoteWord } from "../text/shell-word.ts";
import { endWithin } from "../threads/process-deadline.ts";
import { addSettings, bindWork, globalSettings, type Invocation, type Session } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { list, type Report } from "./terminal.ts";
import { versionText } from "./version.ts";

export function addServeCommand(program: Command, session: Session): void {
  const command = program.command("serve").description("Start the server.");
  addSettings(
    command,
    generalSettings.filter((setting) => !globalSettings.includes(setting)),
  );
  command
    .option(
      "--new-installation",
      "start with a new database when the database is lost; the remaining files of the former installation are moved to a separate folder",
    )
    .addOption(
      new Option(
        "--restored-backup",
        "accept a restored database that is older than its checkpoints; this is recorded in the ledger",
      ).conflicts("newInstallation"),
    );
  bindWork(command, session, async ({ config, ignoredVariables, options, terminal }) => {
    const signal = firstSignal(config.logLevel);
    const logger = createLogger(config.logLevel);
    if (ignoredVariables.length > 0) {
      logger.info("ignored variables that Kubernetes or Docker set for a service", {
        names: ignoredVariables,
      });
    }
    const app = await startApp(config, { logger, decision: decisionOf(options) }).catch((error: unknown) => {
      throw withCommandLine(error, config);
    });
    await terminal.print(readyReport(app, config));
    await app.close(await signal);
    return null;
  });
}

function decisionOf({ newInstallation, restoredBackup }: Invocation["options"]): LedgerDecision {
  if (newInstallation === true) return "new-installation";
  return restoredBackup === true ? "restored-backup" : null;
}

/** Some terminals and supervisors send a signal to the process and to its group: it arrives twice within this time. */
const duplicateSignalMs = 100;

/**
 * Resolves with the name of the first signal, also during the start. From then on the process ends before its deadline. A second
 * signal stops it at once.
 */
function firstSignal(logLevel: LogLevel): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const listener = (signal: string) => {
      const nowMs = performance.now();
      if (firstAtMs !== null) {
        if (nowMs - firstAtMs < duplicateSignalMs) return;
        createLogger(logLevel).warn("server stopped at once: second signal", { cause: signal });
        process.exit(exitCodes.forced);
      }
      firstAtMs = nowMs;
      endWithin({ afterMs: endDeadlineMs, logLevel });
      resolve(signal);
    };
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
    // A closed terminal sends SIGHUP, which shuts the server down, unless nohup or a supervisor has set it to be ignored.
    if (!isHangupIgnored()) process.on("SIGHUP", listener);
  });
}

function readyReport({ url, projectId, apiKey }: App, config: Config): Report {
  const data = {
    event: "ready",
    url,
    project_id: projectId,
    ...(apiKey === null ? {} : { api_key: apiKey }),
  };
  const facts = { API: `${url}/v1`, Documentation: `${url}/docs`, Data: config.dataDir };
  const parts = [`${versionText} is running.`, list(facts)];
  if (apiKey !== null) parts.push(firstSteps(url, apiKey, projectId ?? ""));
  return { data, text: `${parts.join("\n\n")}\n\nStop it with Ctrl+C.` };
}

function firstSteps(url: string, apiKey: string, projectId: string): string {
  return `First start: the project "default" (${projectId}) and its API key were created.
Save the key now. It is not shown again:

  ${apiKey}

Try it:

  curl -X POST ${url}/v1/memories -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"content":"Deploys happen on Thursdays.","memory_type":"fact"}'`;
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
