// Recognises the variables that Kubernetes and Docker links set in a container for each service, by name and value. Must never match
// a misspelt setting: a service called "memledger" sets MEMLEDGER_PORT, too.

import { isIP } from "node:net";

const endpoint = /^(tcp|udp|sctp):\/\/\[?([^\]/]+?)\]?:\d{1,5}$/;
const isEndpoint = (value: string) => isIP(endpoint.exec(value)?.[2] ?? "") !== 0;
const isAddress = (value: string) => isIP(value) !== 0;
const isPort = (value: string) => /^\d{1,5}$/.test(value);
const isProtocol = (value: string) => /^(tcp|udp|sctp)$/.test(value);

/** Kubernetes documentation, "Accessing the Service", environment variables. */
const forms: readonly (readonly [name: RegExp, isValue: (value: string) => boolean])[] = [
  [/^MEMLEDGER_(\w+_)?SERVICE_HOST$/, isAddress],
  [/^MEMLEDGER_(\w+_)?SERVICE_PORT(_\w+)?$/, isPort],
  [/^MEMLEDGER_(\w+_)?PORT$/, isEndpoint],
  [/^MEMLEDGER_(\w+_)?PORT_\d{1,5}_(TCP|UDP|SCTP)$/, isEndpoint],
  [/^MEMLEDGER_(\w+_)?PORT_\d{1,5}_(TCP|UDP|SCTP)_PROTO$/, isProtocol],
  [/^MEMLEDGER_(\w+_)?PORT_\d{1,5}_(TCP|UDP|SCTP)_PORT$/, isPort],
  [/^MEMLEDGER_(\w+_)?PORT_\d{1,5}_(TCP|UDP|SCTP)_ADDR$/, isAddress],
];

export type Variables = Readonly<Record<string, string | undefined>>;

/** The variables without those of services, and the names of these. */
export function withoutServices(given: Variables): { variables: Variables; ignored: readonly string[] } {
  const isIgnored = ([name, value = ""]: [string, string | undefined]) =>
    forms.some(([pattern, isValue]) => pattern.test(name) && isValue(value));
  const { ignored = [], kept = [] } = Object.groupBy(Object.entries(given), (entry) =>
    isIgnored(entry) ? "ignored" : "kept",
  );
  return { variables: Object.fromEntries(kept), ignored: ignored.map(([name]) => name).toSorted() };
}
