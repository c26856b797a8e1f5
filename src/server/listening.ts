// Owns the sockets of a server: the TCP port of the configuration, and the local socket of the data directory. Both have the same API.

import { isLoopback, linkedUrl } from "../platform/network.ts";
import { type Certificate, readCertificate } from "../transports/http/network/certificate.ts";
import { explainListenFailure } from "../transports/http/network/listen-failure.ts";
import type { Listener } from "../transports/http/network/listener.ts";
import { type RunningServer, startServer } from "../transports/http/network/network-server.ts";
import { createTls } from "../transports/http/network/tls.ts";
import { createHttp, type HttpOptions } from "../transports/http/server.ts";
import type { BackgroundOptions } from "../transports/local-socket/background.ts";
import type { ConsolePlace } from "../transports/local-socket/console-place.ts";
import { readLocalSender } from "../transports/local-socket/local-caller.ts";
import { type LocalSocket, openLocalSocket } from "../transports/local-socket/local-socket.ts";
import type { Config } from "./config/config.ts";
import type { DataDirectory } from "./data-directory/data-directory.ts";
import { endStart } from "./start-marker.ts";

interface PortListener extends Pick<RunningServer, "url" | "port" | "stop"> {
  /** What the operator must know about the address; null: nothing. */
  readonly warning: string | null;
  /** The certificate in use; null: the server has no TLS. */
  certificate(): Certificate | null;
  /** Reads the certificate again, if the server has TLS. */
  reloadCertificate(): Promise<void>;
}

/** @throws Error that says what to do when the address or the certificate cannot be used */
export async function listenOnPort(config: Config, options: HttpOptions): Promise<PortListener> {
  const {
    host: hostname,
    port,
    tls: files,
    trustedProxies,
    allowedHosts,
    allowedOrigins,
    corsOrigins,
  } = config;
  const { clock, logger } = options;
  const certificate = files === null ? null : readCertificate(files, clock.now());
  const listen = () =>
    startServer({
      ...options,
      hostname,
      port,
      certificate,
      trustedProxies,
      allowedHosts,
      allowedOrigins,
      corsOrigins,
      idleTimeoutSeconds: config.idleTimeoutSeconds,
      graceMs: config.shutdownGraceSeconds * 1_000,
    });
  const server = await attemptListening(listen, hostname, port);
  if (files === null || certificate === null) {
    const isProtected = isLoopback(hostname) || trustedProxies.length > 0;
    if (!isProtected)
      logger.warn("the server accepts calls from other machines without TLS", { remedy: addTls });
    const warning = isProtected ? null : `${withoutTls} ${addTls}`;
    return { ...server, warning, certificate: () => null, reloadCertificate: async () => {} };
  }
  const { replaceCertificate } = server;
  const tls = createTls({ files, certificate, replaceCertificate, clock, logger });
  return {
    ...server,
    warning: null,
    certificate: tls.current,
    reloadCertificate: tls.reload,
    stop() {
      tls.close();
      return server.stop();
    },
  };
}

const withoutTls =
  "The server accepts calls from other machines without TLS: everyone on the network can read API keys and texts.";
const addTls =
  "Set --tls-cert and --tls-key, or put a proxy with TLS in front of the server and set --trusted-proxies to its address.";

async function attemptListening(
  listen: () => RunningServer,
  hostname: string,
  port: number,
): Promise<RunningServer> {
  try {
    return listen();
  } catch (error) {
    throw await explainListenFailure(error, hostname, port);
  }
}

/** Programs that wait for this server connect from now on. @param background null: not a background server */
function listenLocally(
  { socket, startMarker }: DataDirectory,
  options: HttpOptions,
  console: ConsolePlace,
  background: BackgroundOptions | null,
  graceMs?: number,
): LocalSocket {
  // The socket itself never closes an idle connection.
  const listener: Listener = {
    isTls: false,
    readSender: readLocalSender,
    addressOf: () => null,
    webPageFault: () => null,
    hostFault: () => null,
    console: null,
    addHeaders: () => {},
    setIdleTimeout: () => {},
  };
  const { perform, overview } = options;
  const opened = openLocalSocket(socket, {
    perform,
    http: createHttp(options, listener),
    console,
    confirmations: async () => (await overview?.confirmations()) ?? [],
    background,
    graceMs,
  });
  endStart(startMarker);
  return opened;
}

/** A background server has no other way to be reached. @throws Error that says what to do */
export function requireLocalSocket(
  directory: DataDirectory,
  options: HttpOptions,
  background: BackgroundOptions,
): LocalSocket {
  try {
    return listenLocally(directory, options, { url: null, because: "background" }, background);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The local socket ${directory.socket} cannot be opened: ${reason}. Use a data directory on a local file system that supports Unix sockets (--data-dir).`,
      { cause },
    );
  }
}

/** Some file systems do not support sockets; a server with a port must start there, too. */
export function tryListenLocally(
  directory: DataDirectory,
  options: HttpOptions,
  url: string,
  { publicUrl, shutdownGraceSeconds }: Config,
): LocalSocket | null {
  try {
    const place: ConsolePlace =
      options.console === null ? { url: null, because: "off" } : { url: linkedUrl(url, publicUrl) };
    return listenLocally(directory, options, place, null, shutdownGraceSeconds * 1_000);
  } catch (error) {
    const consequence = "commands cannot connect to this server; stop it before you run a command";
    options.logger.warn(consequence, { error });
    return null;
  }
}
