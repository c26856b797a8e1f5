// Owns the check of `memledger doctor` on the upstreams of the gateway: whether they accept connections. Must never send anything, least of
// all a key, and never fail: an upstream can be started later, and a machine can be offline.

import { connect } from "node:net";
import type { Upstream } from "../../gateway/upstream.ts";

const waitMs = 2_000;

/** One clause for each upstream. Its settings were checked when they were read. */
export async function describeUpstreams(upstreams: readonly Upstream[]): Promise<string> {
  const clauses = await Promise.all(
    upstreams.map(async ({ name, baseUrl }) => {
      const { host, hostname, port, protocol } = new URL(baseUrl);
      const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
      const fault = await tryConnection(hostname.replace(/^\[(.*)\]$/, "$1"), number);
      if (fault === null) return `${name} accepts connections`;
      return `warning: ${name} accepts no connection at ${host} (${fault}); start it, or correct its base-url`;
    }),
  );
  return clauses.join("; ");
}

/** Opens a connection and closes it. @returns why it was not opened; null: it was */
async function tryConnection(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connect({ host, port });
  socket.setTimeout(waitMs, () => resolve(`no answer in ${waitMs / 1_000} seconds`));
  socket.once("connect", () => resolve(null));
  socket.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  const fault = await promise;
  socket.destroy();
  return fault;
}
