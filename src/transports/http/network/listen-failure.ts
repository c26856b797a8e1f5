// Owns the message that explains why the server cannot listen on an address. Must never open the port: another program may need it.

import { createSocket } from "node:dgram";

/** The settings that the messages name. */
export interface ListenSettings {
  readonly host: string;
  readonly port: string;
}

/**
 * Bun reports an unrelated error number for a host that it cannot use. So the host is tested as the address of a UDP socket on any free
 * port, for which the system reports the same errors.
 * @returns an Error that says what to do
 */
export async function explainListenFailure(
  error: unknown,
  hostname: string,
  port: number,
  settings: ListenSettings = { host: "--host", port: "--port" },
): Promise<Error> {
  const fault = await findHostFault(hostname);
  if (fault === "ENOTFOUND") {
    return new Error(
      `The host name ${hostname} has no address. Set ${settings.host} to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
      { cause: error },
    );
  }
  if (fault !== null) {
    return new Error(
      `${hostname} is not an address of this machine (${fault}). Set ${settings.host} to one of its addresses, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
      { cause: error },
    );
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EACCES") {
    const message = `Permission denied for port ${port}. Choose a port above 1023 with ${settings.port}.`;
    return new Error(message, { cause: error });
  }
  if (code === "EADDRINUSE") {
    return new Error(
      `Port ${port} of ${hostname} is in use by another process. Stop that process, or choose another port with ${settings.port} (0 selects a free port).`,
      { cause: error },
    );
  }
  return new Error(
    `Cannot listen on ${hostname}, port ${port} (${code ?? error}). Choose another address with ${settings.host}, or another port with ${settings.port}.`,
    {
      cause: error,
    },
  );
}

/** The system's error code for the host; null: the host is usable. */
function findHostFault(hostname: string): Promise<string | null> {
  const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
  return new Promise((resolve) => {
    socket.on("error", (error) => {
      socket.close();
      resolve("code" in error && typeof error.code === "string" ? error.code : "ENOTFOUND");
    });
    socket.bind({ address: hostname.replace(/^\[(.*)\]$/, "$1"), port: 0 }, () => {
      socket.close();
      resolve(null);
    });
  });
}
