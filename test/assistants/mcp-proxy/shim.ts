// Starts `memledger mcp` from source as a client does, and ends it after the test. Must never end a process it did not start.

import { afterEach } from "bun:test";
import { main } from "../../program.ts";
import { type StdioClient, startStdioClient } from "./stdio-client.ts";

export interface Shim extends Omit<StdioClient, "end"> {
  /** Closes stdin and waits for the end. */
  end(): Promise<{ readonly exitCode: number; readonly stderr: string }>;
}

interface ShimOptions {
  readonly words?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const started = new Set<StdioClient>();

/** Ends what a failed test left running. */
export function endShimsAfterEach(): (options: ShimOptions) => Shim {
  afterEach(async () => {
    await Promise.all([...started].map((client) => client.kill()));
    started.clear();
  });
  return startShim;
}

function startShim({ words = [], variables = {}, cwd = process.cwd() }: ShimOptions): Shim {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...variables };
  const client = startStdioClient([process.execPath, main, "mcp", ...words], { env, cwd, stderr: "pipe" });
  started.add(client);
  const stderr = new Response(client.child.stderr ?? null).text();
  return { ...client, end: async () => ({ exitCode: await client.end(), stderr: await stderr }) };
}

export const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "shim-test", version: "1" },
};
