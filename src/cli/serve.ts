// Binds `memledger serve`: starts the server, says so once, and ends it in order when asked to.

import { type Command, Option } from "commander";
import { type App, startApp } from "../app.ts";
import type { Config } from "../config/config.ts";
import { generalSettings } from "../config/settings.ts";
import type { LedgerDecision } from "../data-directory/ledger-start.ts";
import { endDeadlineMs } from "../limits.ts";
import { createLogger, type LogLevel } from "../log/logger.ts";
import { endWithin } from "../native/deadline.ts";
import { isHangupIgnored } from "../native/hangup.ts";
import { ModelMismatch } from "../storage/sqlite/schema/model-binding.ts";
import { quoteWord } from "../text/shell-word.ts";
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
      "begin anew where the database is lost; what is left of the former installation is moved to a folder of its own",
    )
    .addOption(
      new Option(
        "--restored-backup",
        "accept an older database than its checkpoints attest; this is recorded in the ledger",
      ).conflicts("newInstallation"),
    );
  bindWork(command, session, async ({ config, ignoredVariables, options, terminal }) => {
    const asked = askedToEnd(config.logLevel);
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
    await app.close(await asked);
    return null;
  });
}

function decisionOf({ newInstallation, restoredBackup }: Invocation["options"]): LedgerDecision {
  if (newInstallation === true) return "new-installation";
  return restoredBackup === true ? "restored-backup" : null;
}

/** A terminal or a supervisor that signals the process and its group sends the same request twice. */
const sameRequestMs = 100;

/**
 * Resolves with the name of the first signal, even one during the start, and from then on the process ends within its deadline; the
 * second one ends it at once.
 */
function askedToEnd(logLevel: LogLevel): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const listener = (signal: string) => {
      const nowMs = performance.now();
      if (firstAtMs !== null) {
        if (nowMs - firstAtMs < sameRequestMs) return;
        createLogger(logLevel).warn("server ended by a second signal", { cause: signal });
        process.exit(exitCodes.forced);
      }
      firstAtMs = nowMs;
      endWithin({ afterMs: endDeadlineMs, logLevel });
      resolve(signal);
    };
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
    // A terminal that is closed ends the server in order, unless nohup or a supervisor has it ignore the signal.
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
  return `This is the first start: the project "default" (${projectId}) has been created with this API key.
Keep the key now, it is not shown again:

  ${apiKey}

Try it:

  curl -X POST ${url}/v1/memories -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"content":"Deploys happen on Thursdays.","memory_type":"fact"}'`;
}

/** The message of the store says what to do; this adds the line to copy. */
function withCommandLine(error: unknown, { dataDir, model }: Config): unknown {
  if (!(error instanceof ModelMismatch)) return error;
  const words = [
    "memledger",
    "reembed",
    "--data-dir",
    dataDir,
    ...(model === null ? [] : ["--model", model]),
  ];
  error.message += ` To embed anew: ${words.map(quoteWord).join(" ")}`;
  return error;
}
