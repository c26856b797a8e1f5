// Owns the question whether a background server runs for a data directory, asked over its local socket.

import { isObject } from "../platform/json/json.ts";
import { backgroundStopMaxMs } from "../platform/limits.ts";
import { backgroundPath } from "../transports/local-socket/background.ts";
import { findLocalSocket } from "../transports/local-socket/socket-path.ts";
import { type DataDirectory, locate } from "./data-directory/data-directory.ts";

/** The process number of the background server; null: none runs, or the server is none. */
export async function findBackgroundServer(dataDir: string): Promise<number | null> {
  return readPid(await askLocally(locate(dataDir), "GET", backgroundPath));
}

/** Null: no server listens or answers in time, or the directory cannot be read; the lock of the directory says why. */
export async function askLocally(
  { socket }: DataDirectory,
  method: string,
  path: string,
  signal = AbortSignal.timeout(backgroundStopMaxMs),
): Promise<Response | null> {
  try {
    const unix = findLocalSocket(socket);
    if (unix === null) return null;
    return await fetch(`http://localhost${path}`, { unix, method, signal, keepalive: false });
  } catch {
    return null;
  }
}

/** Null: no server listens, or it has no such path, because it is no background server. */
export async function readPid(response: Response | null): Promise<number | null> {
  const answer: unknown = response?.ok === true ? await response.json().catch(() => null) : null;
  return isObject(answer) && typeof answer.pid === "number" ? answer.pid : null;
}
