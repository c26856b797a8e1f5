// Binds `memledger doctor`: runs the checks of a data directory in order, and lists what they do not check. Must never change the data
// that it checks.

import { type Command, InvalidArgumentError } from "commander";
import { chooseEngine } from "../../engines/engines.ts";
import { prepareRuntime } from "../../platform/native/runtime.ts";
import type { Config } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { isDatabaseMissing } from "../../server/data-directory/lost-database.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { failureMessage } from "../failure-message.ts";
import { table } from "../terminal.ts";
import { confirmationChecks } from "./confirmations.ts";
import {
  type CheckedDirectory,
  checkBackups,
  checkCertificate,
  checkDirectory,
  checkDisk,
  checkModel,
  checkOwner,
  checkServer,
} from "./environment.ts";
import { describeRepair, repair } from "./fix.ts";
import { describeUpstreams } from "./gateway.ts";
import {
  checkCheckpoints,
  checkClock,
  checkDatabase,
  checkKey,
  describeRecent,
  embeddingsOfSearches,
  notVerified,
  verifyRecent,
} from "./ledger.ts";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
}

interface Diagnosis {
  readonly findings: readonly Finding[];
  /** What the checks do not cover. */
  readonly notChecked: readonly string[];
}

export function addDoctorCommand(program: Command, session: Session): void {
  const command = program
    .command("doctor")
    .description(
      "Check the data directory, the database, the newest audit records, the signing key, whether witnesses and time stamp authorities have confirmed the newest checkpoints, the TLS certificate, the model, the native libraries, and whether upstreams of the gateway accept connections. Changes no data. May unpack the native libraries into runtime/ and write the shared-memory file (memledger.db-shm) of the database.",
    );
  command
    .option(
      "--fix",
      "list what can be repaired safely: leftover files, permissions, embeddings and the keyword index; the server must be stopped",
    )
    .option("--apply", "with --fix: repair it; recorded in the ledger if the database is changed");
  addSettings(command, [settings.model, settings.auditKey, settings.tlsCert, settings.tlsKey]);
  bindWork(command, session, async ({ config, options }) => {
    if (options.apply === true && options.fix !== true)
      throw new InvalidArgumentError("--apply needs --fix, which lists what is repaired.");
    const repaired = options.fix === true ? await repair(config, options.apply === true) : null;
    const { findings, notChecked: unchecked } = await runChecks(config);
    const isExamined = repaired !== null && repaired.database !== null;
    const notChecked = unchecked.filter((line) => !(isExamined && line.startsWith(embeddingsOfSearches)));
    const isHealthy = findings.every(({ ok }) => ok);
    if (!isHealthy) session.exitCode = exitCodes.failed;
    const checks = table(
      ["check", "", "finding"],
      findings.map(({ check, ok, message }) => [check, ok ? "ok" : "FAILED", message]),
    );
    return {
      data: {
        ok: isHealthy,
        checks: findings,
        not_checked: notChecked,
        ...(repaired === null ? {} : { fix: repaired }),
      },
      text: [
        ...(repaired === null ? [] : [describeRepair(repaired)]),
        checks,
        `Not checked:\n${notChecked.map((line) => `- ${line}`).join("\n")}`,
      ].join("\n\n"),
    };
  });
}

async function runChecks(config: Config): Promise<Diagnosis> {
  const directory = locate(config.dataDir);
  const findings: Finding[] = [];
  const run: Run = async (check, perform, toMessage = String) => {
    try {
      const value = await perform();
      findings.push({ check, ok: true, message: toMessage(value) });
      return value;
    } catch (error) {
      findings.push({ check, ok: false, message: await failureMessage(error, config.dataDir) });
      return null;
    }
  };
  const stopped = (why: string): Diagnosis => ({
    findings,
    notChecked: [`all other checks, because ${why}`],
  });

  // Do not open files in a directory of another user, and never load native libraries from it.
  if ((await run("owner", () => checkOwner(directory))) === null)
    return stopped("the data directory cannot be used");
  await run("data directory", () => checkDirectory(directory));
  await run("disk space", () => checkDisk(directory));
  await run("backups", () => checkBackups(directory));
  const runtime = await run(
    "native libraries",
    () => prepareRuntime(directory.runtime),
    () => "unpacked and unchanged",
  );
  if (runtime === null) return stopped("the native libraries cannot be used");
  const engine = chooseEngine(directory, () => runtime);
  const checked: CheckedDirectory = { directory, engine, runtime, auditKey: config.auditKey };
  await run("server", () => checkServer(checked));
  const notChecked = await checkLedger(checked, run);
  for (const { check, find } of await confirmationChecks(config, directory)) await run(check, find);
  await run("model", () => checkModel(config, checked));
  const { tls } = config;
  if (tls !== null) await run("certificate", () => checkCertificate(tls));
  const { upstreams } = config.gateway;
  if (upstreams.length > 0) await run("gateway", () => describeUpstreams(upstreams));
  return { findings, notChecked };
}

/** Runs one check, which returns its result or throws an Error. @returns null when it failed */
type Run = <Value>(
  check: string,
  perform: () => Value | Promise<Value>,
  toMessage?: (value: Value) => string,
) => Promise<Value | null>;

/** @returns what it does not check. */
async function checkLedger(checked: CheckedDirectory, run: Run): Promise<readonly string[]> {
  const database = await run("database", () => checkDatabase(checked));
  if (database === null) return ["the ledger, because the database cannot be used"];
  if (await isDatabaseMissing(checked)) return ["the ledger, because there is no database yet"];
  const recent = await run("audit records", () => verifyRecent(checked), describeRecent);
  await run("checkpoints", () => checkCheckpoints(checked));
  await run("audit key", () => checkKey(checked));
  if (recent !== null) await run("clock", () => checkClock(recent));
  return notVerified(checked, recent);
}
