// Recognises, by name and value, the variables that Kubernetes and Docker links set in a container for each service: a service named
// "memledger" sets MEMLEDGER_PORT. Must never match a misspelt setting.

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

/** Separates the variables of services from the others. @returns the other variables, and the names of those of services */
export function withoutServices(all: Variables): { variables: Variables; ignored: readonly string[] } {
  const isIgnored = ([name, value = ""]: [string, string | undefined]) =>
    forms.some(([pattern, isValue]) => pattern.test(name) && isValue(value));
  const { ignored = [], kept = [] } = Object.groupBy(Object.entries(all), (entry) =>
    isIgnored(entry) ? "ignored" : "kept",
  );
  return { variables: Object.fromEntries(kept), ignored: ignored.map(([name]) => name).toSorted() };
}
