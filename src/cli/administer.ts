// Performs an operation of the installation for a command: through the running server, otherwise on the database itself.
// Must never decide what an operation allows.

import { existsSync } from "node:fs";
import { createProject } from "../access/project-operations.ts";
import { findAdminSocket } from "../admin-socket.ts";
import type { Config } from "../config.ts";
import { locate } from "../data-directory.ts";
import { DirectoryInUse, openAdministration, tryHoldDirectory } from "../installation.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { createLogger } from "../logger.ts";
import type { InstallationOperation } from "../operation.ts";

/** The operation said no. */
export class CommandRefused extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** A server that starts or ends holds the directory without listening yet or any more. */
const waitMs = 10_000;
const retryMs = 50;

/** The answer's data. @throws CommandRefused, DirectoryInUse */
export async function administer(
  config: Config,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<Json> {
  const directory = locate(config.dataDir);
  if (operation !== createProject && !existsSync(directory.database)) {
    throw new Error(
      `There is no memledger database in ${config.dataDir}. Correct --data-dir, or start a server there first: memledger serve --data-dir ${config.dataDir}`,
    );
  }
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += retryMs) {
    const envelope =
      (await askServer(directory.socket, operation.name, input)) ??
      (await performHere(config, operation, input));
    if (envelope !== null) return dataOf(envelope);
    await Bun.sleep(retryMs);
  }
  throw new DirectoryInUse(config.dataDir);
}

/** Null when no server listens. */
async function askServer(socket: string, operation: string, input: JsonObject): Promise<string | null> {
  const unix = findAdminSocket(socket);
  if (unix === null) return null;
  try {
    const body = JSON.stringify(input);
    const response = await fetch(`http://localhost/${operation}`, { unix, method: "POST", body });
    return await response.text();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT" || code === "FailedToOpenSocket") return null;
    throw new Error(
      "The server ended before it answered. Check whether the change was made, then try again.",
      {
        cause,
      },
    );
  }
}

/** Null when another process holds the data directory. */
async function performHere(
  config: Config,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<string | null> {
  const held = tryHoldDirectory(config.dataDir);
  if (held === null) return null;
  await using parts = new AsyncDisposableStack();
  parts.defer(() => held.release());
  const { perform, close } = openAdministration(held, config, createLogger(config.logLevel));
  parts.defer(close);
  return (await perform.forInstallation(operation, input)).envelope;
}

function dataOf(envelope: string): Json {
  const answer: unknown = JSON.parse(envelope);
  if (!isObject(answer)) throw new Error("The server's answer is not what this program expects. Restart it.");
  if (answer.success === true) return answer.data ?? null;
  throw new CommandRefused(String(answer.message), Number(answer.code));
}
