// Binds `memledger witness`: runs a witness that cosigns the checkpoints of other ledgers, until a signal ends it.

import { type Command, InvalidArgumentError, Option } from "commander";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { isCosigning, parseVerifierKeyOf, type VerifierKey } from "../../audit/witness/verifier-key.ts";
import { openWitnessStates } from "../../engines/engines.ts";
import { endDeadlineMs } from "../../platform/limits.ts";
import { createLogger } from "../../platform/log/logger.ts";
import { createClock } from "../../platform/time/clock.ts";
import { settings } from "../../server/config/settings.ts";
import { openWitnessDirectory } from "../../server/witness/witness-directory.ts";
import { startWitnessServer } from "../../server/witness/witness-server.ts";
import { addSettings, bindWork, type Session, type Work } from "../command.ts";
import { listenForSignals } from "./signals.ts";

export function addWitnessCommand(program: Command, session: Session): void {
  const command = program
    .command("witness")
    .description(
      "Run a witness, on another machine than the server: it cosigns checkpoints that continue the last one, and refuses others (C2SP tlog-witness). Its data directory is memledger-witness by default.",
    )
    .addOption(
      new Option(
        "--log <key>",
        "verifier key of a ledger (audit.pub) or of another log, whose checkpoints are cosigned; can be repeated",
      )
        .argParser(collectKey)
        .makeOptionMandatory(),
    )
    .option("--name <name>", "name of the witness in its signatures, chosen at the first start");
  addSettings(command, [settings.host, settings.port]);
  const work: Work = async ({ config, options, terminal }) => {
    const { dataDir, host: hostname, port, logLevel } = config;
    const signals = listenForSignals(logLevel, false, endDeadlineMs);
    const logger = createLogger(logLevel);
    const logs = keysOf(options.log);
    const { cosigner, database, runtime } = openWitnessDirectory(dataDir, nameOf(options.name));
    using states = openWitnessStates(database, runtime);
    const tools = { cosigner, logs, states, clock: createClock(), logger };
    const server = await startWitnessServer({ hostname, port, ...tools });
    const key = cosigner.verifierKey.text;
    await terminal.print({
      data: { event: "ready", url: server.url, verifier_key: key },
      text: `The witness listens on ${server.url}. Its verifier key, also in witness.pub of ${dataDir}:\n${key}\nServers use it with --witness "${server.url} ${key}".`,
    });
    await signals.end;
    await server.stop();
    return null;
  };
  bindWork(command, session, work, { dataDir: "of a witness" });
}

function collectKey(text: string, keys: readonly VerifierKey[] = []): readonly VerifierKey[] {
  // audit.pub has a line for each key that the server has had.
  const added = text.split("\n").filter((line) => line.trim() !== "");
  const parsed = added.map((line) => parseVerifierKeyOf(line.trim(), runtimeCryptography));
  const logs = parsed.filter((key) => key !== null && !isCosigning(key)).filter((key) => key !== null);
  if (logs.length === 0 || logs.length < added.length)
    throw new InvalidArgumentError(
      "It must be the verifier key of a log, such as the content of audit.pub in the data directory of the server.",
    );
  return [...keys, ...logs];
}

/** What `collectKey` has made. */
function keysOf(option: unknown): readonly VerifierKey[] {
  return option as readonly VerifierKey[];
}

function nameOf(option: unknown): string | null {
  if (typeof option !== "string") return null;
  if (/[\s+]/u.test(option) || option === "")
    throw new InvalidArgumentError("--name must not be empty, or contain spaces or +.");
  return option;
}
