// Owns the address of the client. Trusts X-Forwarded-For only as far as trusted proxies wrote it.

import { BlockList, isIP } from "node:net";

/** Address of the peer, and the value of X-Forwarded-For. */
type ClientAddress = (peer: string | null, forwardedFor: string | null) => string | null;

/**
 * `trusted` are addresses or networks such as 10.0.0.0/8. The header is read from its end, as each proxy appends the address it
 * was called from. The first address that is not a trusted proxy is the client; anyone may have written the addresses before it.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const isProxy = createProxyCheck(trusted);
  return (peer, forwardedFor) => {
    let client = peer === null ? null : withoutMapping(peer);
    if (trusted.length === 0 || forwardedFor === null) return client;
    for (const hop of forwardedFor.split(",").toReversed()) {
      const address = withoutMapping(hop.trim());
      if (client === null || !isProxy(client) || isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
}

/** @returns whether an address belongs to one of the proxies */
export function createProxyCheck(trusted: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const network of trusted) {
    const [address = "", prefix] = network.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const shown = withoutMapping(address);
    return proxies.check(shown, isIP(shown) === 6 ? "ipv6" : "ipv4");
  };
}

/** An IPv4 address inside an IPv6 one (RFC 4291, section 2.5.5.2) is shown as IPv4. */
function withoutMapping(ip: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1] ?? ip;
}
