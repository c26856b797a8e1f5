// The load generator's process: sends the calls of a plan file over keep-alive connections and prints what became of them as
// one line of JSON. Must never know what it calls. Run by startLoad in harness.ts.

import { readFileSync } from "node:fs";
import { Connection, toRequest } from "./http-client.ts";

export interface LoadPlan {
  readonly port: number;
  readonly seconds: number;
  readonly streams: readonly Stream[];
  /** The name of the stream whose end ends the others, if that is before `seconds` are over. */
  readonly until?: string;
}

/** Clients that do the same thing at the same time. */
export interface Stream {
  readonly name: string;
  readonly clients: number;
  readonly key: string;
  readonly calls: readonly PlannedCall[];
  /** Whether the calls start over when all are done; otherwise each is sent once. */
  readonly repeat: boolean;
  /** A call is due this often, whichever client is free then; without it, each client sends one after another. */
  readonly everyMs?: number;
  readonly afterMs?: number;
}

export interface PlannedCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamResult {
  readonly name: string;
  readonly calls: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Of every call, ascending. */
  readonly latenciesMs: readonly number[];
}

/** Whether the stream that ends the others has ended. */
let isOver = false;

const file = process.argv[2];
if (file !== undefined) {
  const plan: LoadPlan = JSON.parse(readFileSync(file, "utf8"));
  const results = await Promise.all(plan.streams.map((stream) => runStream(plan, stream)));
  await Bun.write(Bun.stdout, JSON.stringify(results));
  process.exit(0);
}

async function runStream({ port, seconds, until }: LoadPlan, stream: Stream): Promise<StreamResult> {
  const { name, clients, key, calls, repeat, everyMs = 0, afterMs = 0 } = stream;
  const requests = calls.map(({ method, path, body, headers }) =>
    toRequest(method, path, key, body, headers),
  );
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)));
  let sent = 0;
  const next = () => {
    const at = sent++;
    return repeat ? requests[at % requests.length] : requests[at];
  };
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  if (afterMs > 0) await Bun.sleep(afterMs);
  const start = performance.now();
  const end = start + seconds * 1_000 - afterMs;
  let due = start;
  const drive = async (connection: Connection) => {
    for (let request = next(); request !== undefined && due < end && !isOver; request = next()) {
      const mine = due;
      due += everyMs;
      const waitMs = mine - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      const now = performance.now();
      if (now >= end || isOver) break;
      const { status } = await connection.send(request);
      // A call that found no client free has waited since it was due.
      latencies.push(performance.now() - (everyMs > 0 && waitMs < 0 ? mine : now));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    connection.close();
  };
  await Promise.all(connections.map(drive));
  if (name === until) isOver = true;
  const elapsedMs = performance.now() - start;
  latencies.sort((a, b) => a - b);
  return { name, calls: latencies.length, seconds: elapsedMs / 1_000, statuses, latenciesMs: latencies };
}
