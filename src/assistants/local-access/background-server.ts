// Owns the background server of a data directory from the side of programs: whether one runs, its start, and its end. However many
// programs start one at once, one runs, because the lock of the directory decides.

import { closeSync, statSync } from "node:fs";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { backgroundStartMaxMs, backgroundStopMaxMs } from "../../platform/limits.ts";
import { lastErrorMessage, openLogFile } from "../../platform/log/log-file.ts";
import { ownCommand } from "../../platform/native/own-command.ts";
import { createClock } from "../../platform/time/clock.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import { type DataDirectory, locate, openDataDirectory } from "../../server/data-directory/data-directory.ts";
import { askLocally, findBackgroundServer, readPid } from "../../server/find-background-server.ts";
import { claimStart, endStart, isRunning } from "../../server/start-marker.ts";
import { backgroundStopPath } from "../../transports/local-socket/background.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { refuseForeignSocket } from "./ask-server.ts";
import { ServerUnreachable } from "./channel-failure.ts";

const clock = createClock();
const pollMs = 25;
/** Exit code of a server that found another process in the directory (cli/exit-codes.ts). */
const inUse = 3;

/**
 * Returns when a server listens on the local socket of the directory: one that runs, one that another program is starting, or a new one.
 * @param dataDir absolute; created if it does not exist
 * @throws ServerUnreachable that says what to do
 */
export async function ensureServer(dataDir: string): Promise<void> {
  const directory = openDataDirectory(dataDir);
  const deadlineMs = clock.elapsed() + backgroundStartMaxMs;
  while (clock.elapsed() < deadlineMs) {
    if (await isListening(directory)) return;
    if (claimStart(directory.startMarker, clock)) await startServer(directory, deadlineMs);
    else await clock.sleep(pollMs);
  }
  throw new ServerUnreachable(
    `No memledger server started in ${backgroundStartMaxMs / 1_000} s. Its log is ${directory.log}. If another command uses ${dataDir}, wait until it has ended, then try again.`,
  );
}

/** Ends when the server listens, or another process uses the directory. @throws ServerUnreachable */
async function startServer(directory: DataDirectory, deadlineMs: number): Promise<void> {
  try {
    const loggedBytes = statSync(directory.log, { throwIfNoEntry: false })?.size ?? 0;
    const child = spawnServer(directory);
    while (clock.elapsed() < deadlineMs) {
      if (await isListening(directory)) return;
      if (child.exitCode === inUse) return await clock.sleep(pollMs);
      if (child.exitCode !== null || child.signalCode !== null) throw notStarted(directory, loggedBytes);
      await clock.sleep(pollMs);
    }
  } finally {
    endStart(directory.startMarker);
  }
}

/** In a session of its own, so that it does not end with the assistant, and in its own directory. */
function spawnServer(directory: DataDirectory): Bun.Subprocess {
  const log = openLogFile({ path: directory.log, previous: directory.previousLog });
  try {
    const { [apiKeyVariable]: _secret, ...env } = process.env;
    const child = Bun.spawn([...ownCommand, "serve", "--background", "--data-dir", directory.root], {
      cwd: directory.root,
      env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: log,
      detached: true,
      windowsHide: true,
    });
    child.unref();
    return child;
  } catch (cause) {
    const reason = explainSystemError(cause)?.cause ?? String(cause);
    throw new ServerUnreachable(
      `The program ${ownCommand[0]} cannot be started: ${reason}. If it was moved, run memledger connect with the name of the assistant and --write, then restart the assistant.`,
      { cause },
    );
  } finally {
    closeSync(log);
  }
}

function notStarted({ root, log, previousLog }: DataDirectory, loggedBytes: number): ServerUnreachable {
  // The log may have begun again.
  const wasMoved = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) < loggedBytes;
  const reason = lastErrorMessage({ path: log }, wasMoved ? 0 : loggedBytes);
  return new ServerUnreachable(
    `The memledger server for ${root} did not start. ${reason ?? `Its log is ${log} (before: ${previousLog}).`}`,
  );
}

/** A server of any version counts: it is asked for its API later. */
async function isListening(directory: DataDirectory): Promise<boolean> {
  return (await askLocally(directory, "GET", "/health/live")) !== null;
}

/**
 * Stops the background server after its running calls.
 * @returns its process number; null: no background server runs
 * @throws Error if it does not answer or end in time, or belongs to another user
 */
export async function stopBackgroundServer(
  dataDir: string,
  maxMs = backgroundStopMaxMs,
): Promise<number | null> {
  const directory = locate(dataDir);
  const signal = AbortSignal.timeout(maxMs);
  const response = await askLocally(directory, "POST", backgroundStopPath, signal);
  if (response === null && signal.aborted) {
    throw new Error(`The server of ${dataDir} does not answer. Check its disk, or kill the process.`);
  }
  const unix = response === null ? findLocalSocket(directory.socket) : null;
  if (unix !== null) refuseForeignSocket(unix);
  const pid = await readPid(response);
  if (pid === null) return null;
  const deadlineMs = clock.elapsed() + maxMs;
  while (isRunning(pid)) {
    if (clock.elapsed() > deadlineMs) {
      throw new Error(
        `The background server, process ${pid}, does not end. Check its disk, or kill the process.`,
      );
    }
    await clock.sleep(pollMs);
  }
  return pid;
}

/** Stops a background server, and has no program start another one until `start` has returned. @throws as both do */
export async function replaceBackgroundServer<Started>(
  dataDir: string,
  start: () => Promise<Started>,
): Promise<Started> {
  if ((await findBackgroundServer(dataDir)) === null) return start();
  const { startMarker } = locate(dataDir);
  // Programs that find no server wait for this one; if another program is about to start one, its server is stopped, too.
  claimStart(startMarker, clock);
  try {
    await stopBackgroundServer(dataDir);
    return await start();
  } finally {
    endStart(startMarker);
  }
}
