// Owns the form of an event stream over HTTP (HTML Standard, section 9.2): one connection that stays open, and what is not read of it is
// limited. Must never read a session or decide what is sent.

import type { Listener } from "../network/listener.ts";
import type { Live, Receiver, Viewer } from "./overview/live.ts";

/** A client that has not read so many bytes is disconnected. The first figures of a busy day are 0.2 MB. */
const unreadMaxBytes = 1024 * 1024;
/** How long a browser waits before it connects again. */
const retryMs = 3_000;

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // no-transform: a proxy must not compress it, because that holds events back.
  "Cache-Control": "no-store, no-transform",
  // nginx buffers answers otherwise.
  "X-Accel-Buffering": "no",
};

/**
 * An answer whose body is an event stream.
 * @throws Refusal 1429 or 1503 when there are too many streams
 */
export function eventStream(
  live: Live,
  viewer: Viewer,
  request: Request,
  { setIdleTimeout }: Pick<Listener, "setIdleTimeout">,
): Response {
  if (request.method === "HEAD") return new Response(null, { headers });
  const connection = createConnection();
  const opened = live.open(viewer, {
    send: connection.send,
    end() {
      connection.end();
      // What is left of the connection has the timeout of all others: a client that does not read must not keep it.
      setIdleTimeout(request, 1);
    },
  });
  // Heartbeats would keep the timeout away, but the operator may have set a shorter one.
  setIdleTimeout(request, 0);
  const close = () => opened[Symbol.dispose]();
  request.signal.addEventListener("abort", close, { once: true });
  if (request.signal.aborted) close();
  // Only direct streams of Bun tell when the client does not read, and let the server stop without waiting for it.
  const body: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    pull: connection.run,
    cancel: close,
  };
  return new Response(new ReadableStream(body), { headers });
}

type Sink = Pick<ReadableStreamDirectController, "write" | "flush" | "end">;

interface Connection extends Receiver {
  /** Begins to send. Resolves when the stream has ended. */
  run(sink: Sink): Promise<void>;
}

function createConnection(): Connection {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  /** Before the connection is ready. */
  const waiting: Buffer[] = [];
  let sink: Sink | null = null;
  let unreadBytes = 0;
  let hasEnded = false;

  const read = (bytes: number) => {
    unreadBytes -= bytes;
  };
  const write = (to: Sink, bytes: Buffer): void => {
    const written: unknown = to.write(bytes);
    to.flush();
    if (!(written instanceof Promise)) return;
    unreadBytes += bytes.length;
    written.then(
      () => read(bytes.length),
      () => undefined,
    );
  };
  waiting.push(Buffer.from(`retry: ${retryMs}\n\n`));

  return {
    send(event, data) {
      if (hasEnded) return false;
      const bytes = Buffer.from(event === null ? ":\n\n" : `event: ${event}\ndata: ${data}\n\n`);
      if (sink !== null) write(sink, bytes);
      else waiting.push(bytes);
      return unreadBytes <= unreadMaxBytes;
    },
    end() {
      hasEnded = true;
      resolve();
      sink?.end();
    },
    run(connected) {
      sink = connected;
      for (const bytes of waiting.splice(0)) write(connected, bytes);
      if (hasEnded) connected.end();
      return ended;
    },
  };
}
