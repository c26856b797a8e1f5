// Owns how a program of this machine asks the running server where its console is. Must never start a server.

import {
  type ConsolePlace,
  consolePath,
  readConsolePlace,
} from "../../transports/local-socket/console-place.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { refuseForeignSocket } from "./ask-server.ts";

const timeoutMs = 10_000;

/**
 * @param socket path as of openLocalSocket
 * @returns null if no server listens; "unknown": the server is of a version without the console
 * @throws Error that says what to do if the socket belongs to another user
 */
export async function askConsole(socket: string): Promise<ConsolePlace | "unknown" | null> {
  const unix = findLocalSocket(socket);
  if (unix === null) return null;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`http://localhost${consolePath}`, { unix, keepalive: false, signal });
    return readConsolePlace(await response.text()) ?? "unknown";
  } catch {
    refuseForeignSocket(unix);
    return null;
  }
}
