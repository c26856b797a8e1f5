// Binds `memledger doctor`: examines a data directory without a server's help. Must never change what it examines.

import { statfsSync, statSync } from "node:fs";
import type { Command } from "commander";
import { chooseModel } from "../app.ts";
import type { Config } from "../config.ts";
import { type DataDirectory, isOpenToOthers, locate } from "../data-directory.ts";
import { startEmbedder } from "../embedding/embedder.ts";
import { prepareRuntime, type RuntimeFiles } from "../native/runtime.ts";
import { requireOwnership } from "../ownership.ts";
import { counted } from "../plural.ts";
import { settings } from "../settings.ts";
import { findDamage, inspect } from "../sqlite/inspect.ts";
import { takeLock } from "../sqlite/lock.ts";
import { addSettings, bindWork, type Session } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { failureMessage } from "./failure-message.ts";
import { table } from "./terminal.ts";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
}

/** Below this much free space a busy server may fill the disk within a day. */
const lowSpaceBytes = 512 * 1024 * 1024;

export function addDoctorCommand(program: Command, session: Session): void {
  const command = program
    .command("doctor")
    .description("Examine the data directory, the database, the model and the native libraries.");
  addSettings(command, [settings.model]);
  bindWork(command, session, async ({ config }) => {
    const findings = await examine(config);
    const isHealthy = findings.every(({ ok }) => ok);
    if (!isHealthy) session.exitCode = exitCodes.failed;
    return {
      data: { ok: isHealthy, checks: findings },
      text: table(
        ["check", "", "finding"],
        findings.map(({ check, ok, message }) => [check, ok ? "ok" : "FAILED", message]),
      ),
    };
  });
}

async function examine(config: Config): Promise<Finding[]> {
  const directory = locate(config.dataDir);
  if (!statSync(directory.root, { throwIfNoEntry: false })?.isDirectory()) {
    const message = `${directory.root} does not exist. Correct --data-dir, or create it with: memledger serve`;
    return [{ check: "data directory", ok: false, message }];
  }
  const owner = await find("data directory", () => void requireOwnership(directory.root));
  // Nothing in the directory of another user is opened, least of all its native libraries.
  if (!owner.ok) return [owner];
  const findings = [
    await find("data directory", () => directoryState(directory)),
    await find("disk space", () => diskState(directory)),
  ];
  let runtime: RuntimeFiles | undefined;
  findings.push(
    await find("native libraries", () => {
      runtime = prepareRuntime(directory.runtime);
      return "unpacked and unchanged";
    }),
  );
  if (runtime === undefined) return findings;
  const files = runtime;
  findings.push(
    await find("server", () => serverState(directory, files)),
    await find("database", () => databaseState(directory, files)),
    await find("model", () => modelState(config, directory, files)),
  );
  return findings;
}

/** A check says what it found, or throws what is wrong. */
async function find(check: string, look: () => string | undefined | Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, message: (await look()) ?? "" };
  } catch (error) {
    return { check, ok: false, message: failureMessage(error, null) };
  }
}

function directoryState({ root }: DataDirectory): string {
  if (isOpenToOthers(root)) throw new Error(`Others can enter ${root}. Close it: chmod 700 ${root}`);
  return root;
}

function diskState({ root }: DataDirectory): string {
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  const text = `${Math.floor(free / 1024 / 1024)} MiB free`;
  if (free < lowSpaceBytes) throw new Error(`Only ${text}. Make room before the server has to refuse calls.`);
  return text;
}

function serverState({ lock }: DataDirectory, runtime: RuntimeFiles): string {
  if (!statSync(lock, { throwIfNoEntry: false })) return "never ran here";
  const taken = takeLock(lock, runtime);
  taken?.release();
  return taken === null ? "running" : "not running";
}

function databaseState({ database: path }: DataDirectory, runtime: RuntimeFiles): string {
  if (!statSync(path, { throwIfNoEntry: false })) return "not created yet";
  const { format, projects, keys } = inspect({ path, runtime });
  const damage = findDamage({ path, runtime });
  if (damage.length > 0) throw new Error(`Damaged: ${damage.join("; ")}. Restore the last backup.`);
  return `intact, format ${format}, ${counted(projects.length, "project")}, ${counted(keys, "key")}`;
}

async function modelState(config: Config, directory: DataDirectory, runtime: RuntimeFiles): Promise<string> {
  const embedder = await startEmbedder({ runtime, model: chooseModel(config) });
  try {
    await embedder.embed("Is everything well?", "query");
    const { id, sha256, dimensions } = embedder.model;
    const path = directory.database;
    const bound = statSync(path, { throwIfNoEntry: false }) ? inspect({ path, runtime }).model : null;
    if (bound !== null && bound.sha256 !== sha256) {
      throw new Error(
        `The database is bound to the model ${bound.id}, not to ${id}. Name its directory with --model, or run memledger reembed.`,
      );
    }
    return `${id}, ${dimensions} dimensions, works`;
  } finally {
    await embedder.close();
  }
}
