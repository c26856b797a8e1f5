// Owns how a program of this machine asks the running server who has confirmed its checkpoints. Must never start a server.

import type { ShownConfirmation } from "../../transports/http/console/overview/state.ts";
import { confirmationsPath, readConfirmations } from "../../transports/local-socket/confirmations.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { refuseForeignSocket } from "./ask-server.ts";

const timeoutMs = 10_000;

/**
 * @param socket path as of openLocalSocket
 * @returns null if no server of this version answers
 * @throws Error that says what to do if the socket belongs to another user
 */
export async function askConfirmations(socket: string): Promise<readonly ShownConfirmation[] | null> {
  const unix = findLocalSocket(socket);
  if (unix === null) return null;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`http://localhost${confirmationsPath}`, { unix, keepalive: false, signal });
    return readConfirmations(await response.text());
  } catch {
    refuseForeignSocket(unix);
    return null;
  }
}
