// Owns connections to upstreams. Must never follow a redirect, decompress a body, send a request to a proxy that nobody has configured, or
// send again what an upstream may have received: an answer costs money. Nobody gets a credential back that an upstream was sent.
// Not `fetch`: a process has 256 requests of it at once, and all others wait for one of them to end.

import { Agent, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as TlsAgent } from "node:https";
import type { Timers } from "../platform/time/clock-timers.ts";
import {
  type FaultKind,
  type Forward,
  type ForwardedAnswer,
  type ForwardedRequest,
  UpstreamFault,
} from "./forwarding.ts";
import { secretsIn } from "./headers.ts";
import { maskSecrets } from "./key-mask.ts";
import {
  answerMaxMs,
  connectMaxMs,
  idleConnectionMaxMs,
  idleConnectionsMax,
  informationalMax,
} from "./limits.ts";

export interface Forwarder {
  readonly forward: Forward;
  /** Closes connections that wait for a request. */
  close(): void;
}

export function createForwarder(timers: Pick<Timers, "after">): Forwarder {
  const options = {
    keepAlive: true,
    maxFreeSockets: idleConnectionsMax,
    timeout: idleConnectionMaxMs,
  };
  const plain = new Agent(options);
  const encrypted = new TlsAgent(options);
  return {
    async forward(request) {
      const agents = { plain, encrypted };
      const secrets = secretsIn(request.headers);
      try {
        return maskSecrets(await send(request, agents, timers), secrets);
      } catch (error) {
        // An upstream may close a connection that was idle before it is used again.
        if (!(error instanceof LostConnection)) throw error;
        const opened = { plain: new Agent(), encrypted: new TlsAgent() };
        return maskSecrets(await send(request, opened, timers), secrets);
      }
    },
    close() {
      plain.destroy();
      encrypted.destroy();
    },
  };
}

interface Agents {
  readonly plain: Agent;
  readonly encrypted: TlsAgent;
}

/** A connection of an earlier request was closed before anything of this request was written. */
class LostConnection extends UpstreamFault {}

function send(
  request: ForwardedRequest,
  { plain, encrypted }: Agents,
  timers: Pick<Timers, "after">,
): Promise<ForwardedAnswer> {
  const { url, method, body, signal, idleMaxMs } = request;
  const headers = Object.fromEntries(request.headers);
  if (body !== null) headers["content-length"] = String(body.length);
  const isEncrypted = new URL(url).protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<ForwardedAnswer>();
  const sent = onlyOnce(request.onSent);
  if (signal.aborted) {
    sent();
    throw new UpstreamFault("cancelled");
  }
  const options = { method, headers };
  const outgoing = isEncrypted
    ? requestHttps(url, { ...options, agent: encrypted })
    : requestHttp(url, { ...options, agent: plain });
  // `destroy` alone is not enough: a request whose connection was upgraded reports no error.
  const failWith = (fault: UpstreamFault) => {
    outgoing.destroy(fault);
    fail(fault);
  };
  const cancel = () => failWith(new UpstreamFault("cancelled"));
  const isLate = () => failWith(new UpstreamFault("late"));
  const silence = timers.after(idleMaxMs, isLate);
  const total = timers.after(answerMaxMs, isLate);
  const connecting = timers.after(Math.min(connectMaxMs, idleMaxMs), () =>
    failWith(new UpstreamFault("unreachable", "ETIMEDOUT")),
  );
  let incoming: IncomingMessage | null = null;
  let isOver = false;
  let isWritten = false;
  const write = () => {
    if (isOver) return;
    isWritten = true;
    if (body === null) outgoing.end();
    else outgoing.end(body);
  };
  const end = () => {
    isOver = true;
    for (const timer of [silence, total, connecting]) timer.cancel();
    signal.removeEventListener("abort", cancel);
    sent();
  };
  signal.addEventListener("abort", cancel, { once: true });
  outgoing.once("socket", (socket) => {
    const isConnected = () => connecting.cancel();
    if (!socket.connecting) isConnected();
    else socket.once(isEncrypted ? "secureConnect" : "connect", isConnected);
    // In a later turn, a connection that the upstream has closed already is known to be closed.
    if (outgoing.reusedSocket) timers.after(0, write);
    else write();
  });
  outgoing.once("finish", sent);
  const fail = (fault: UpstreamFault) => {
    if (incoming !== null) incoming.destroy(fault);
    else end();
    const isLost = !isWritten && outgoing.reusedSocket && fault.kind === "failed";
    reject(isLost ? new LostConnection("failed", fault.systemCode) : fault);
  };
  outgoing.on("error", (error) => fail(toFault(error, "failed")));
  outgoing.once("upgrade", (_response, socket) => {
    socket.destroy();
    failWith(new UpstreamFault("failed"));
  });
  let informational = 0;
  outgoing.on("information", () => {
    informational += 1;
    if (informational > informationalMax) failWith(new UpstreamFault("failed"));
  });
  outgoing.once("response", (response) => {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 599) return failWith(new UpstreamFault("failed"));
    incoming = response;
    for (const timer of [silence, connecting]) timer.cancel();
    const abandon = () => {
      // A connection that is over may have another request already.
      if (!isOver) outgoing.destroy();
      end();
    };
    resolve({
      status,
      headers: headersOf(response),
      chunks: read(response, { timers, idleMaxMs, end, abandon }),
      close: abandon,
    });
  });
  return promise;
}

interface Reading {
  readonly timers: Pick<Timers, "after">;
  readonly idleMaxMs: number;
  /** After the last chunk, or after a fault. */
  readonly end: () => void;
  /** The rest is not wanted. */
  readonly abandon: () => void;
}

async function* read(response: IncomingMessage, { timers, idleMaxMs, end, abandon }: Reading) {
  const chunks = response[Symbol.asyncIterator]();
  let isOver = false;
  try {
    while (true) {
      // The upstream is late only while somebody waits for it.
      const silence = timers.after(idleMaxMs, () => response.destroy(new UpstreamFault("late")));
      const next = await chunks.next().finally(() => silence.cancel());
      if (next.done === true) break;
      yield next.value as Uint8Array;
    }
    isOver = true;
    // Without this check a body that is shorter than announced would seem complete.
    if (!response.complete) throw new UpstreamFault("failed", "ECONNRESET");
  } catch (error) {
    isOver = true;
    abandon();
    throw toFault(error, "failed");
  } finally {
    if (!isOver) abandon();
    end();
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}

/** Errors before a connection: the name is unknown, nothing listens, or the certificate is not trusted. */
const beforeConnection =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDR|ERR_TLS|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|ERR_SSL|EPROTO|FailedToOpenSocket)/;

function toFault(error: unknown, kind: FaultKind): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  const code = error instanceof Error && "code" in error ? error.code : null;
  const cause = typeof code === "string" && /^\w{1,64}$/.test(code) ? code : null;
  return new UpstreamFault(cause !== null && beforeConnection.test(cause) ? "unreachable" : kind, cause);
}

function onlyOnce(work: (() => void) | undefined): () => void {
  let rest = work;
  return () => {
    rest?.();
    rest = undefined;
  };
}
