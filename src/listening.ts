// Owns the sockets of a server: the TCP port of the configuration, and the local socket of the data directory. Both have the same API.

import type { Config } from "./config/config.ts";
import type { DataDirectory } from "./data-directory/data-directory.ts";
import { endStart } from "./local-access/start-marker.ts";
import { explainListenFailure } from "./transports/http/listen-failure.ts";
import type { Listener } from "./transports/http/listener.ts";
import { type RunningServer, startServer } from "./transports/http/network-server.ts";
import { createHttp, type HttpOptions } from "./transports/http/server.ts";
import type { BackgroundOptions } from "./transports/local-socket/background.ts";
import { readLocalSender } from "./transports/local-socket/local-caller.ts";
import { type LocalSocket, openLocalSocket } from "./transports/local-socket/local-socket.ts";

/** @throws Error that says what to do when the address cannot be used */
export async function listenOnPort(config: Config, options: HttpOptions): Promise<RunningServer> {
  const { host: hostname, port, trustedProxies, allowedHosts, allowedOrigins } = config;
  try {
    return startServer({ ...options, hostname, port, trustedProxies, allowedHosts, allowedOrigins });
  } catch (error) {
    throw await explainListenFailure(error, hostname, port);
  }
}

/** Programs that wait for this server connect from now on. @param background null: not a background server */
function listenLocally(
  { socket, startMarker }: DataDirectory,
  options: HttpOptions,
  background: BackgroundOptions | null,
): LocalSocket {
  // The socket itself never closes an idle connection.
  const listener: Listener = {
    readSender: readLocalSender,
    addressOf: () => null,
    webPageFault: () => null,
    setIdleTimeout: () => {},
  };
  const { perform } = options;
  const opened = openLocalSocket(socket, { perform, http: createHttp(options, listener), background });
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
    return listenLocally(directory, options, background);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The local socket ${directory.socket} cannot be opened: ${reason}. Use a data directory on a local file system that supports Unix sockets (--data-dir).`,
      { cause },
    );
  }
}

/** Some file systems do not support sockets; a server with a port must start there, too. */
export function tryListenLocally(directory: DataDirectory, options: HttpOptions): LocalSocket | null {
  try {
    return listenLocally(directory, options, null);
  } catch (error) {
    const consequence = "commands cannot connect to this server; stop it before you run a command";
    options.logger.warn(consequence, { error });
    return null;
  }
}
