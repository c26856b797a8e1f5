// Owns how a program of this machine asks the running server whether it is ready. Must never start a server.

import { isObject, readJson } from "../../platform/json/json.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import type { DataDirectory } from "../../server/data-directory/data-directory.ts";
import { findLocalSocket } from "../../transports/local-socket/socket-path.ts";
import { refuseForeignSocket } from "./ask-server.ts";

export type Health = Readonly<{ isReady: boolean; message: string }>;

const timeoutMs = 10_000;

/** @throws Error that says what to do if the socket belongs to another user */
export async function askHealth({ root, socket }: DataDirectory): Promise<Health> {
  const unix = findLocalSocket(socket);
  if (unix === null) return { isReady: false, message: noServer(root) };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch("http://localhost/health/ready", { unix, keepalive: false, signal });
    const message = messageOf(await response.text());
    return { isReady: response.ok, message: response.ok ? "The server is ready." : message };
  } catch (error) {
    refuseForeignSocket(unix);
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { isReady: false, message: isLate ? tooLate : noServer(root) };
  }
}

const noServer = (root: string) =>
  `No server runs on the data directory ${root}. Start one: memledger serve --data-dir ${quoteWord(root)}`;
const tooLate = `The server did not answer within ${timeoutMs / 1000} seconds. Read its log.`;

function messageOf(text: string): string {
  const envelope = readJson(text);
  return isObject(envelope) && typeof envelope.message === "string" ? envelope.message : text;
}
