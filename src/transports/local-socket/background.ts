// Owns what a background server answers about itself on the local socket, and when it ends. Other servers answer nothing here.

import { backgroundCheckMs } from "../../platform/limits.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Http } from "../http/server.ts";

export const backgroundPath = "/background";
export const backgroundStopPath = "/background/stop";

export interface BackgroundOptions {
  /** The server is asked to end after this time without a request; null: never. */
  readonly idleMs: number | null;
  readonly clock: Pick<Clock, "elapsed" | "every">;
  readonly version: string;
  /** Called once or more. @param cause for the log */
  end(cause: string): void;
}

interface WatchedSocket {
  readonly pendingRequests: () => number;
  /** Whether the path of the socket still leads to this server. */
  readonly isReachable: () => boolean;
}

interface Background {
  /** The handlers of the socket, which also count as activity. */
  watch(http: Http): Http;
  /** Ends the server when it is idle, or no program can find it any more. */
  start(socket: WatchedSocket): Disposable;
}

export function createBackground({ idleMs, clock, version, end }: BackgroundOptions): Background {
  let activeAtMs = clock.elapsed();
  const touch = () => {
    activeAtMs = clock.elapsed();
  };
  return {
    watch: ({ routes, fetch, error }) => ({
      routes: Object.fromEntries(
        Object.entries(routes).map(([path, handle]) => [
          path,
          (request: Request) => {
            touch();
            return handle(request);
          },
        ]),
      ),
      async fetch(request) {
        const path = URL.parse(request.url)?.pathname;
        if (path === backgroundPath && request.method === "GET") {
          return Response.json({ pid: process.pid, version });
        }
        if (path === backgroundStopPath && request.method === "POST") {
          // After the answer: the end of the server closes the connection.
          setImmediate(() => end("another program of the user asked it to stop"));
          return Response.json({ pid: process.pid }, { status: 202 });
        }
        touch();
        return fetch(request);
      },
      error,
    }),
    start({ pendingRequests, isReachable }) {
      const check = () => {
        if (pendingRequests() > 0) touch();
        else if (!isReachable()) end("its local socket was removed or replaced");
        else if (idleMs !== null && clock.elapsed() - activeAtMs >= idleMs) end("idle");
      };
      const timer = clock.every(backgroundCheckMs, check);
      return { [Symbol.dispose]: () => timer.cancel() };
    },
  };
}
