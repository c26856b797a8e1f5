// Owns what an address says about its network: the network that is usually assigned to one user or machine, and whether it is this machine.

import { isIP } from "node:net";

/** "192.0.2.0/24" or "2001:db8:1::/48"; other texts as they are. */
export function networkOf(address: string): string {
  const family = isIP(address);
  if (family === 4) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (family === 6) return `${firstGroups(address, 3).join(":")}::/48`;
  return address;
}

/** The first groups of an IPv6 address, without leading zeros (RFC 5952, section 4.1). */
function firstGroups(address: string, count: number): string[] {
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  // An IPv4 address at the end replaces two groups.
  const width = before.length + after.length + (address.includes(".") ? 1 : 0);
  const groups = tail === undefined ? before : [...before, ...Array(8 - width).fill("0"), ...after];
  return groups.slice(0, count).map((group) => Number.parseInt(group, 16).toString(16));
}

/** Whether only programs of this machine reach the host. `host` may be an IPv6 address in brackets, as in URLs. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  return host === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}

/** The URL of a server that listens there. */
export function listeningUrl(protocol: "http" | "https", hostname: string, port: number | undefined): string {
  return `${protocol}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/**
 * The address of a server in links, without a slash at the end. A server that listens on all addresses is reached by the one of this machine.
 * @param publicUrl by which people reach it; null: none is configured
 */
export function linkedUrl(url: string, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, "");
  return url.replace(/(?<=^https?:\/\/)(0\.0\.0\.0|\[::\])(?=:|$)/, "localhost");
}
