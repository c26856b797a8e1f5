// Owns the socket through which commands on the same machine reach the server; the permissions of its file are the authorisation.
// Must never be reachable over a network, and adds no rule to the operations.

import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Answer, toRefusalAnswer } from "../../calls/answer.ts";
import { findOperation } from "../../calls/operations.ts";
import type { Perform } from "../../calls/perform.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { JsonFault, parseJson } from "../../json/json-text.ts";
import { bodyMaxBytes, commandGraceMs, idleTimeoutSeconds } from "../../limits.ts";
import { stopServer } from "../../native/stop-server.ts";
import { serverItself } from "../../scheduling/fair-queue.ts";
import { callerHeader, readCaller } from "./command-caller.ts";
import { printReply } from "./reply.ts";

interface CommandSocket {
  close(): Promise<void>;
}

/** sockaddr_un.sun_path holds 104 bytes on macOS, 108 on Linux and Windows, a final NUL included. */
const pathMaxBytes = 103;

/**
 * Answers `POST /<operation>` with a JSON body at `path`. An existing file there is a remnant of a killed server, because the caller
 * holds the lock of the directory. If `path` is too long for the system, it becomes a link to the real socket.
 */
export function openCommandSocket(path: string, perform: Perform): CommandSocket {
  rmSync(path, { force: true });
  const unix = socketPath(path);
  if (unix !== path) {
    rmSync(unix, { force: true });
    symlinkSync(unix, path);
  }
  const server = Bun.serve({
    unix,
    development: false,
    maxRequestBodySize: bodyMaxBytes,
    async fetch(request, bun) {
      // Retention and erasure may run for minutes. On a Unix socket Bun closes an idle connection after ten seconds, whatever
      // idleTimeout is, and does not accept a timeout of 0 here.
      const keepOpen = () => bun.timeout(request, idleTimeoutSeconds);
      keepOpen();
      const timer = setInterval(keepOpen, 500 * idleTimeoutSeconds);
      try {
        return await respond(request, perform);
      } finally {
        clearInterval(timer);
      }
    },
  });
  chmodSync(unix, 0o600);
  return {
    async close() {
      await stopServer(server, commandGraceMs);
      rmSync(unix, { force: true });
      rmSync(path, { force: true });
    },
  };
}

/** Where the server of this data directory listens; null if there was none, or it stopped normally. */
export function findCommandSocket(path: string): string | null {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return null;
  const target = info.isSymbolicLink() ? readlinkSync(path) : path;
  return existsSync(target) ? target : null;
}

/** A short path that depends only on the real path of the directory. */
function socketPath(path: string): string {
  if (Buffer.byteLength(path) <= pathMaxBytes) return path;
  const name = join(realpathSync(dirname(path)), basename(path));
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return join(runtimeDirectory(), `${hash}.sock`);
}

/** A directory that only this user can access. @throws Error if another user created it */
function runtimeDirectory(): string {
  const userId = process.getuid?.();
  const given = process.env.XDG_RUNTIME_DIR ?? "";
  const directory = existsSync(given)
    ? join(given, "memledger")
    : join(tmpdir(), userId === undefined ? "memledger" : `memledger-${userId}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const info = lstatSync(directory);
  const isOurs = userId === undefined || (info.uid === userId && (info.mode & 0o077) === 0);
  if (info.isDirectory() && isOurs) return directory;
  throw new Error(
    `${directory} must be a directory that belongs to this user and has mode 0700. Remove it, then start the server again.`,
  );
}

async function respond(request: Request, perform: Perform): Promise<Response> {
  const answered = await performNamed(request, perform);
  return new Response(printReply(answered), {
    status: answered.status,
    headers: { "Content-Type": "application/json" },
  });
}

async function performNamed(request: Request, perform: Perform): Promise<Answer> {
  // With a malformed Host header, the URL cannot be parsed.
  const operation = findOperation(URL.parse(request.url)?.pathname.slice(1) ?? "");
  if (request.method !== "POST" || operation?.scope !== "installation") {
    return refuse(
      1404,
      "The running server does not support this command. Restart the server with the version of this command.",
    );
  }
  const caller = readCaller(request.headers.get(callerHeader));
  if (caller === null)
    return refuse(1400, `The header ${callerHeader} is malformed. Send the command again.`);
  const fields = await readBody(request);
  if (typeof fields === "string") return refuse(1400, fields);
  const { administrator, client } = caller;
  const { answer } = await perform(operation, {
    credentials: { kind: "administration", administrator },
    input: { kind: "object", fields },
    origin: { transport: "cli", ip: null, userAgent: null, client, metadata: null },
    signal: serverItself.signal,
  });
  return answer;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The body, or its fault as a message. */
async function readBody(request: Request): Promise<JsonObject | string> {
  try {
    const input = parseJson(utf8.decode(await request.arrayBuffer()));
    return isObject(input) ? input : "The body must be a JSON object.";
  } catch (error) {
    if (error instanceof TypeError) return "The body is not valid UTF-8. Send the command again.";
    if (!(error instanceof JsonFault)) return "The body ended early. Send the command again.";
    return `${error.field === null ? "The body" : `Field "${error.field}"`} ${error.reason}.`;
  }
}

function refuse(code: 1400 | 1404, message: string): Answer {
  return toRefusalAnswer({ code, message, data: {} });
}
