// Owns the settings of the sockets of a server: addresses, TLS, which clients and web pages may call it, and how long connections live. Must
// never read a file or the environment.

import { httpGraceMs, idleTimeoutSeconds } from "../../platform/limits.ts";
import { hosts, networks, origins } from "./list-setting.ts";
import { file, limit, ownAddress, text, toggle, whole, wholeOrNone } from "./setting.ts";

export const networkSettings = {
  host: text(
    { name: "host", description: "address to listen on; 0.0.0.0 and :: accept calls from other machines" },
    "127.0.0.1",
  ),
  port: whole({ name: "port", description: "port to listen on; 0 selects a free port" }, 8420, 0, 65_535),
  publicUrl: ownAddress({
    name: "public-url",
    description:
      "URL by which people reach the server, such as that of a proxy; for the links that are printed",
  }),
  tlsCert: file({
    name: "tls-cert",
    description:
      "PEM file with the certificate of the server and the certificates of its issuers, for https; read again at SIGHUP",
  }),
  tlsKey: file({ name: "tls-key", description: "PEM file with the private key of the certificate" }),
  backgroundIdleMinutes: limit(
    {
      name: "background-idle-minutes",
      description: "minutes without a request after which a background server ends",
    },
    15,
    1,
  ),
  metricsPort: wholeOrNone(
    {
      name: "metrics-port",
      description:
        "port for Prometheus metrics at /metrics; 0 selects a free port; without it, there is none",
    },
    0,
    65_535,
  ),
  metricsHost: text(
    { name: "metrics-host", description: "address on which metrics are served" },
    "127.0.0.1",
  ),
  metricsProjects: toggle(
    {
      name: "metrics-projects",
      description: "add metrics of each project, with its identifier as a label",
    },
    false,
  ),
  console: toggle(
    {
      name: "console",
      description: "serve the console, the pages for people, at /console; false: only the API is served",
    },
    true,
  ),
  trustedProxies: networks({
    name: "trusted-proxies",
    description:
      "proxies whose X-Forwarded-For header is trusted for the address of the client, and whose X-Forwarded-Proto header for the scheme of the console",
  }),
  allowedHosts: hosts({
    name: "allowed-hosts",
    description:
      "host names by which clients reach a server for this machine, or /mcp of any server, besides those of this machine",
  }),
  allowedOrigins: origins({
    name: "allowed-origins",
    description: "origins of web pages and extensions that may send requests to /mcp",
  }),
  corsOrigins: origins({
    name: "cors-origins",
    description:
      "origins of web pages that may call the API and /mcp in a browser (CORS); without them, no page may",
  }),
  // The longest timeout that Bun has.
  idleTimeoutSeconds: whole(
    {
      name: "idle-timeout-seconds",
      description: "seconds after which a connection without traffic is closed, also during a handshake",
    },
    idleTimeoutSeconds,
    5,
    255,
  ),
  shutdownGraceSeconds: whole(
    {
      name: "shutdown-grace-seconds",
      description:
        "seconds that running calls have to finish at the shutdown; four seconds later the process is killed",
    },
    httpGraceMs / 1_000,
    1,
    3_600,
  ),
};
