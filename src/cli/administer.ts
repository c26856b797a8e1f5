// Performs an operation of the installation for a command: through the running server, or on the database when no server runs.
// Must never decide what an operation allows.

import { accessSync, constants, statSync } from "node:fs";
import { createProject } from "../access/project-operations.ts";
import type { InstallationOperation } from "../calls/operation.ts";
import type { Config } from "../config/config.ts";
import { locate } from "../data-directory/data-directory.ts";
import {
  createHolder,
  DirectoryInUse,
  type Held,
  openAdministration,
  requireDatabase,
} from "../data-directory/directory-hold.ts";
import { successCode } from "../errors.ts";
import { explainSystemError } from "../files/system-error.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { createLogger } from "../log/logger.ts";
import { findAdminSocket } from "../transports/command-socket/command-socket.ts";
import { type Reply, readReply } from "../transports/command-socket/reply.ts";

/** The operation refused the command. */
export class CommandRefused extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }

  /** Replaces names of fields in the message. @param names the name on the command line, such as `--from`, by the name of the field */
  withNames(names: Readonly<Record<string, string>>): CommandRefused {
    let { message } = this;
    for (const [field, name] of Object.entries(names)) {
      message = message.replaceAll(new RegExp(`Field "${field}(/[^"]*)?"`, "g"), name);
      // Only a name with an underscore cannot be an ordinary word of the message.
      if (field.includes("_")) message = message.replaceAll(new RegExp(`"?\\b${field}\\b"?`, "g"), name);
    }
    return new CommandRefused(message, this.code);
  }
}

/** A server that is starting or stopping has locked the data directory, but does not listen. */
const waitMs = 10_000;
const retryMs = 50;

/**
 * The answer's data.
 * @param names as in CommandRefused.withNames
 * @throws CommandRefused, DirectoryInUse
 */
export async function administer(
  config: Config,
  operation: InstallationOperation,
  input: JsonObject,
  names: Readonly<Record<string, string>> = {},
): Promise<Json> {
  try {
    return await perform(config, operation, input);
  } catch (error) {
    throw error instanceof CommandRefused ? error.withNames(names) : error;
  }
}

async function perform(config: Config, operation: InstallationOperation, input: JsonObject): Promise<Json> {
  if (operation !== createProject) await requireDatabase(config.dataDir);
  const { socket } = locate(config.dataDir);
  let tryHold: (() => Promise<Held | null>) | undefined;
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += retryMs) {
    const answered = await askServer(socket, operation.name, input);
    if (answered !== null) return dataOf(answered);
    tryHold ??= createHolder(config.dataDir);
    const held = await tryHold();
    if (held !== null) return dataOf(await performHere(held, config, operation, input));
    await Bun.sleep(retryMs);
  }
  throw new DirectoryInUse(config.dataDir);
}

/** Null when no server listens. */
async function askServer(socket: string, operation: string, input: JsonObject): Promise<Reply | null> {
  const unix = findAdminSocket(socket);
  if (unix === null) return null;
  let text: string;
  try {
    const body = JSON.stringify(input);
    // No timeout (Bun's default is five minutes): retention and erasure of a large ledger may run longer.
    const init = { unix, method: "POST", body, timeout: false };
    const response = await fetch(`http://localhost/${operation}`, init);
    text = await response.text();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT" || code === "FailedToOpenSocket") return null;
    refuseForeignSocket(unix);
    throw new Error(
      "The server stopped before it answered. Check whether the change was made, then try again.",
      {
        cause,
      },
    );
  }
  return readReply(text);
}

/** @throws Error when the socket exists and belongs to another user */
function refuseForeignSocket(unix: string): void {
  try {
    accessSync(unix, constants.W_OK);
  } catch (error) {
    if (explainSystemError(error)?.cause !== "permission denied") return;
    const owner = statSync(unix, { throwIfNoEntry: false })?.uid;
    if (owner === undefined) return;
    throw new Error(
      `Permission denied on the socket ${unix}: the server runs as the user ${owner}. Run the command as that user: sudo -u '#${owner}' memledger ...`,
      { cause: error },
    );
  }
}

async function performHere(
  held: Held,
  config: Config,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<Reply> {
  await using parts = new AsyncDisposableStack();
  parts.defer(() => held.release());
  const { perform, close } = await openAdministration(held, config, createLogger(config.logLevel));
  parts.defer(close);
  const { data, ...answer } = await perform.forInstallation(operation, input);
  return { ...answer, data: JSON.parse(data ?? "null") };
}

function dataOf({ code, message, data }: Reply): Json {
  if (code === successCode) return data;
  throw new CommandRefused(message, code);
}
