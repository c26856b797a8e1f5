// Owns the check against web pages that reach the server through a browser: DNS rebinding gives such a page a name for this server.
// Programs that are not browsers send no Origin, and need a key in any case.

import { isLoopback } from "../../../platform/network.ts";
import { shortenName } from "../../../platform/text/characters.ts";

export interface WebPageCheckOptions {
  /** The address that the server listens on. */
  readonly hostname: string;
  /** Names by which clients reach this server, besides those of this machine. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages and extensions that may send requests, such as https://chat.example.com. */
  readonly allowedOrigins: readonly string[];
}

/** @returns what is wrong with the request and what to do; null: nothing */
type HeaderCheck = (headers: Headers) => string | null;

export interface WebPageCheck {
  /** The header Host is no name of this server. */
  readonly hostFault: HeaderCheck;
  /** The header Origin names a web page that must not send requests. */
  readonly originFault: HeaderCheck;
}

export function createWebPageCheck({
  hostname,
  allowedHosts,
  allowedOrigins,
}: WebPageCheckOptions): WebPageCheck {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  // Behind a proxy or in a container, the server does not know its own names, so it checks them only if it is told some.
  const checksHost = isLoopback(hostname) || hosts.size > 0;

  return {
    hostFault(headers) {
      const host = headers.get("host") ?? "";
      const name = hostnameOf(`http://${host}`);
      if (!checksHost || (name !== null && (isLoopback(name) || hosts.has(name)))) return null;
      return `The header Host names ${shown(host)}, which is not a name of this server. Use 127.0.0.1 or localhost, or ask the operator to add the name to --allowed-hosts.`;
    },
    originFault(headers) {
      const origin = headers.get("origin");
      if (origin === null || origins.has(origin.toLowerCase())) return null;
      const page = hostnameOf(origin);
      if (page !== null && /^https?:/i.test(origin) && isLoopback(page)) return null;
      return `The header Origin names ${shown(origin)}, and requests from this web page are not allowed. Use a client that is not a web page, or ask the operator to add the origin to --allowed-origins or --cors-origins.`;
    },
  };
}

function hostnameOf(url: string): string | null {
  const name = URL.parse(url)?.hostname.toLowerCase() ?? "";
  return name === "" ? null : name;
}

function shown(text: string): string {
  return `"${shortenName(text)}"`;
}
