// Performs an operation of the installation for a command: through the running server, or on the database when no server runs.
// Must never decide what an operation allows.

import { administratorOf } from "../../access/machine-administrator.ts";
import { askServer } from "../../assistants/local-access/ask-server.ts";
import type { InstallationOperation } from "../../calls/contract/operation.ts";
import { createProject } from "../../calls/operations/access/project-operations.ts";
import type { Perform } from "../../calls/perform.ts";
import { successCode } from "../../platform/errors.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import { createLogger } from "../../platform/log/logger.ts";
import type { Config } from "../../server/config/config.ts";
import { administrationRequest, originOf } from "../../server/data-directory/administration.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { DirectoryInUse } from "../../server/data-directory/directory-in-use.ts";
import {
  createDirectoryLocker,
  type LockedDirectory,
  openAdministration,
  requireDatabase,
} from "../../server/data-directory/directory-lock.ts";
import type { Reply } from "../../transports/local-socket/reply.ts";

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
      message = message.replaceAll(new RegExp(`Field "${field}/[^"]*"`, "g"), `Each value of ${name}`);
      message = message.replaceAll(`Field "${field}"`, name);
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
  const reply = await askOrPerform(
    config,
    (ask) => ask(operation, input),
    async (locked) => {
      const { perform, close } = await openAdministration(locked, config, createLogger(config.logLevel));
      try {
        return await performHere(perform, operation, input);
      } finally {
        await close();
      }
    },
  );
  return dataOf(reply);
}

/** Null if no server listens. */
type Ask = (operation: InstallationOperation, input: JsonObject) => Promise<Reply | null>;

/**
 * Asks the running server, or does the work here while no server runs.
 * @param here gets the lock of the data directory, which is released afterwards
 * @throws DirectoryInUse
 */
export async function askOrPerform<Result>(
  config: Config,
  there: (ask: Ask) => Promise<Result | null>,
  here: (locked: LockedDirectory) => Promise<Result>,
): Promise<Result> {
  const { socket } = locate(config.dataDir);
  const caller = { administrator: administratorOf(process.env), client: originOf("cli").client };
  let tryLock: (() => Promise<LockedDirectory | null>) | undefined;
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += retryMs) {
    const answered = await there((operation, input) => askServer(socket, operation.name, input, caller));
    if (answered !== null) return answered;
    tryLock ??= createDirectoryLocker(config.dataDir);
    const locked = await tryLock();
    if (locked !== null) {
      try {
        return await here(locked);
      } finally {
        locked.release();
      }
    }
    await Bun.sleep(retryMs);
  }
  throw new DirectoryInUse(config.dataDir);
}

export async function performHere(
  perform: Perform,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<Reply> {
  const { code, message, data } = (await perform(operation, administrationRequest("cli", input))).answer;
  return { code, message, data: JSON.parse(data ?? "null") };
}

/** @throws CommandRefused */
export function dataOf({ code, message, data }: Reply): Json {
  if (code === successCode) return data;
  throw new CommandRefused(message, code);
}
