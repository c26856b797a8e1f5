// Owns the configuration of the gateway: its settings, and the upstream that is set without a table. Must never read a file or the environment.

import type { GatewayConfig } from "../../gateway/gateway-config.ts";
import { findUpstreamFault, type Upstream } from "../../gateway/upstream.ts";
import { ConfigError } from "./config-file.ts";
import { upstreamTables } from "./gateway-settings.ts";
import { settings } from "./settings.ts";
import { toUpstream, type ValueOf } from "./upstreams.ts";

/** The name of the upstream of `gateway.base-url` in records. */
const nameWithoutTable = "default";

/** @param tables the upstreams of memledger.toml. @throws ConfigError */
export function gatewayFrom(value: ValueOf, tables: readonly Upstream[]): GatewayConfig {
  const last = upstreamWithoutTable(value);
  if (last !== null && tables.some(({ name }) => name === last.name)) {
    throw new ConfigError(
      `${settings.gatewayBaseUrl.name} is set, and a table [[${upstreamTables.name}]] has its name, "${last.name}". Rename that upstream.`,
    );
  }
  const upstreams = last === null ? tables : [...tables, last];
  const own = { host: value(settings.host), port: value(settings.port) };
  for (const upstream of upstreams) refuseOwnAddress(upstream, own);
  return {
    upstreams,
    exchangesMax: value(settings.gatewayExchanges),
    exchangesPerKeyMax: value(settings.gatewayExchangesPerKey),
    remembers: value(settings.gatewayRemember),
    rememberDetail: value(settings.gatewayRememberDetail),
  };
}

/** A request would be forwarded to this server, which forwards it again. @throws ConfigError */
function refuseOwnAddress({ name, baseUrl }: Upstream, own: { host: string; port: number }): void {
  const { hostname, port, protocol } = new URL(baseUrl);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const isOwn = address === own.host || (ownNames.includes(address) && ownHosts.includes(own.host));
  if (!isOwn || number !== own.port) return;
  throw new ConfigError(
    `base-url of the gateway upstream ${JSON.stringify(name)} is the address of this server. Set it to that of the server with the models, or set another --port.`,
  );
}

/** Addresses of this machine, and those of --host at which they reach this server. */
const ownNames = ["localhost", "127.0.0.1", "::1"];
const ownHosts = [...ownNames, "0.0.0.0", "::"];

function upstreamWithoutTable(value: ValueOf): Upstream | null {
  const baseUrl = value(settings.gatewayBaseUrl);
  const apiKey = value(settings.gatewayApiKey);
  if (baseUrl === null) {
    if (apiKey === null) return null;
    throw new ConfigError(
      "gateway.api-key is set, but gateway.base-url is not. Set the URL of the server, such as --gateway-base-url https://api.openai.com/v1, or unset gateway.api-key.",
    );
  }
  const identity = { name: nameWithoutTable, kind: value(settings.gatewayKind), baseUrl, apiKey };
  const upstream = toUpstream(identity, (setting) => setting.default);
  const fault = findUpstreamFault(upstream);
  if (fault === null) return upstream;
  throw new ConfigError(
    `gateway.${fault} Other settings of an upstream are keys of a table [[${upstreamTables.name}]] in memledger.toml.`,
  );
}
