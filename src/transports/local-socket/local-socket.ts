// Owns the local socket of a data directory: programs of this machine reach the server through it, with commands and with the HTTP API.
// The permissions of its file are the authorisation. Must never be reachable over a network.

import { chmodSync, rmSync, statSync, symlinkSync } from "node:fs";
import type { Perform } from "../../calls/perform.ts";
import type { Json } from "../../platform/json/json.ts";
import { httpGraceMs } from "../../platform/limits.ts";
import { stopServer } from "../../platform/native/stop-server.ts";
import type { Http } from "../http/server.ts";
import { type BackgroundOptions, createBackground } from "./background.ts";
import { answerCommand } from "./commands.ts";
import { confirmationsPath, printConfirmations } from "./confirmations.ts";
import { type ConsolePlace, consolePath, printConsolePlace } from "./console-place.ts";
import { listeningPath } from "./socket-path.ts";

/**
 * Retention and erasure may run for minutes, and only programs of this user can leave a connection idle. Without this, Bun closes an idle
 * connection after twelve seconds. The types of Bun do not permit it on a Unix socket; a test fails if Bun no longer supports it there.
 */
const neverIdle: object = { idleTimeout: 0 };

export interface LocalSocket {
  close(): Promise<void>;
}

interface LocalSocketOptions {
  readonly perform: Perform;
  /** The HTTP API, whose listener has readLocalSender. */
  readonly http: Http;
  /** What programs of this machine are told about the console. */
  readonly console: ConsolePlace;
  /** What they are told about those to whom checkpoints are sent. */
  readonly confirmations: () => Promise<Json>;
  /** Of a background server; null: of any other server. */
  readonly background: BackgroundOptions | null;
  /** How long `close` waits for running calls. Absent: as in the limits. */
  readonly graceMs?: number | undefined;
}

/**
 * Listens at `path`. An existing file there was left by a killed server, because the caller holds the lock of the directory. If
 * `path` is too long for the system, it becomes a link to the real socket.
 */
export function openLocalSocket(
  path: string,
  { perform, http, console, confirmations, background, graceMs = httpGraceMs }: LocalSocketOptions,
): LocalSocket {
  rmSync(path, { force: true });
  const unix = listeningPath(path);
  if (unix !== path) {
    rmSync(unix, { force: true });
    symlinkSync(unix, path);
  }
  const api: Http = {
    ...http,
    fetch: async (request) => {
      const asked = request.method === "GET" ? URL.parse(request.url)?.pathname : null;
      if (asked === consolePath) return printConsolePlace(console);
      if (asked === confirmationsPath) return printConfirmations(confirmations);
      return answerCommand(request, perform);
    },
  };
  const watch = background === null ? null : createBackground(background);
  const server = Bun.serve({
    unix,
    development: false,
    ...neverIdle,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(watch?.watch(api) ?? api),
  });
  chmodSync(unix, 0o600);
  const own = identify(path);
  const isReachable = () => identify(path) === own;
  const running = watch?.start({ pendingRequests: () => server.pendingRequests, isReachable });
  return {
    async close() {
      running?.[Symbol.dispose]();
      // The directory was removed, and another server may listen at this path now: Bun would remove its socket.
      if (!isReachable()) return void server.unref();
      // First, so that programs see that no server listens: a connection that is made from now on would be closed without an answer.
      rmSync(path, { force: true });
      rmSync(unix, { force: true });
      await stopServer(server, graceMs);
    },
  };
}

/** Null if there is no file. */
function identify(path: string): string | null {
  const info = statSync(path, { throwIfNoEntry: false, bigint: true });
  return info === undefined ? null : `${info.dev} ${info.ino}`;
}
