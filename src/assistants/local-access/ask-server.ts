// Owns how a program of this machine asks the running server to perform an operation of the installation. Must never decide what an
// operation allows.

import { accessSync, constants, statSync } from "node:fs";
import { explainSystemError } from "../../platform/files/system-error.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { callerHeader, type LocalCaller, printCaller } from "../../transports/local-socket/local-caller.ts";
import { type Reply, readReply } from "../../transports/local-socket/reply.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { OutcomeUnknown } from "./channel-failure.ts";

/**
 * Null if no server listens.
 * @param socket path as of openLocalSocket
 * @throws OutcomeUnknown if the server stopped before it answered; Error that says what to do if the socket belongs to another user
 */
export async function askServer(
  socket: string,
  operation: string,
  input: JsonObject,
  caller: LocalCaller,
): Promise<Reply | null> {
  const unix = findLocalSocket(socket);
  if (unix === null) return null;
  let text: string;
  try {
    const response = await fetch(`http://localhost/${operation}`, {
      unix,
      method: "POST",
      headers: { [callerHeader]: printCaller(caller) },
      body: JSON.stringify(input),
      // A connection that is kept would still reach a previous server, after the directory was removed or restored.
      keepalive: false,
      // Bun's default is five minutes; retention and erasure of a large ledger may run longer.
      timeout: false,
    });
    text = await response.text();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT" || code === "FailedToOpenSocket") return null;
    refuseForeignSocket(unix);
    throw new OutcomeUnknown(
      "The server stopped before it answered. Check whether the change was made, then try again.",
      { cause },
    );
  }
  return readReply(text);
}

/** @throws Error when the socket exists and belongs to another user */
export function refuseForeignSocket(unix: string): void {
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
