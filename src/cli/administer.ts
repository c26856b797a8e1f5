// Performs an operation of the installation for a command: through the running server, otherwise on the database itself.
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

/** The operation said no. */
export class CommandRefused extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }

  /** Calls fields as the command line does. @param names what a person typed, such as `--from`, by the field's name. */
  naming(names: Readonly<Record<string, string>>): CommandRefused {
    let { message } = this;
    for (const [field, name] of Object.entries(names)) {
      message = message.replaceAll(new RegExp(`Field "${field}(/[^"]*)?"`, "g"), name);
      // Such a name is no word of a sentence.
      if (field.includes("_")) message = message.replaceAll(new RegExp(`"?\\b${field}\\b"?`, "g"), name);
    }
    return new CommandRefused(message, this.code);
  }
}

/** A server that starts or ends holds the directory without listening yet or any more. */
const waitMs = 10_000;
const retryMs = 50;

/**
 * The answer's data.
 * @param names as of CommandRefused.naming.
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
    throw error instanceof CommandRefused ? error.naming(names) : error;
  }
}

async function perform(config: Config, operation: InstallationOperation, input: JsonObject): Promise<Json> {
  if (operation !== createProject) requireDatabase(config.dataDir);
  const { socket } = locate(config.dataDir);
  let tryHold: (() => Held | null) | undefined;
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += retryMs) {
    const answered = await askServer(socket, operation.name, input);
    if (answered !== null) return dataOf(answered);
    tryHold ??= createHolder(config.dataDir);
    const held = tryHold();
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
    // Without Bun's limit of five minutes: retention and erasure of a large ledger take their time.
    const init = { unix, method: "POST", body, timeout: false };
    const response = await fetch(`http://localhost/${operation}`, init);
    text = await response.text();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT" || code === "FailedToOpenSocket") return null;
    refuseForeignSocket(unix);
    throw new Error(
      "The server ended before it answered. Check whether the change was made, then try again.",
      {
        cause,
      },
    );
  }
  return readReply(text);
}

/** @throws Error when the socket is there and this user may not write to it: it belongs to the user of the server. */
function refuseForeignSocket(unix: string): void {
  try {
    accessSync(unix, constants.W_OK);
  } catch (error) {
    if (explainSystemError(error)?.cause !== "permission denied") return;
    const owner = statSync(unix, { throwIfNoEntry: false })?.uid;
    if (owner === undefined) return;
    throw new Error(
      `The server that runs there belongs to the user ${owner}: permission denied on its socket ${unix}. Run the command as that user: sudo -u '#${owner}' memledger ...`,
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
  const { perform, close } = openAdministration(held, config, createLogger(config.logLevel));
  parts.defer(close);
  const { data, ...answer } = await perform.forInstallation(operation, input);
  return { ...answer, data: JSON.parse(data ?? "null") };
}

function dataOf({ code, message, data }: Reply): Json {
  if (code === successCode) return data;
  throw new CommandRefused(message, code);
}
