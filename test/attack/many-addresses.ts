// Attacks the disk of a server without a key from many addresses: all of 127.0.0.0/8 belongs to this machine. Only for servers that the
// caller started itself; sends one call from each address.

import { connect } from "node:net";

/** Calls without a key from `addresses` addresses, each in a network (/24) of its own. Resolves with how often each status came. */
export async function callFromManyNetworks(port: number, addresses: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const call = async (index: number) => {
    const status = await callFrom(port, `127.${1 + (index >> 8)}.${index & 255}.1`);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: addresses }, (_, index) => call(index)));
  return counts;
}

function callFrom(port: number, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => {
      socket.write("GET /v1/memories HTTP/1.1\r\nHost: localhost\r\n\r\n");
    });
    socket.on("data", (chunk) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString("latin1"))?.[1]));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
