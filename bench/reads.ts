// How many reads by id per second one server answers, each recorded and durable; with another executable to compare with, the two by
// turns, and records that are appended, too. Must load both sides the same way.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { median, perSecond } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  cpuMilliseconds,
  createProject,
  loadOne,
  type Measure,
  progress,
  runCommand,
  type Server,
  startServer,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { actions, madeBodies } from "./ledger-fill.ts";
import type { PlannedCall, Stream, StreamResult } from "./load-generator.ts";
import { tailText } from "./tail.ts";
import { createRandom, sentence } from "./texts.ts";

const memories = 5_000;
/** Connections that create the memories. */
const fillers = 16;

interface Side {
  /** The commit that it was built from. */
  readonly name: string;
  readonly dataDir: string;
  readonly server: Server;
  readonly reads: Load;
  readonly appends: Load;
}

interface Load {
  readonly what: string;
  /** Of its records. */
  readonly action: string;
  /** Of every answer. */
  readonly status: number;
  /** The rate, as a share of that of the other executable. */
  readonly shareMin: number;
  readonly stream: Stream;
  /** The first one is the warm-up. */
  readonly rounds: StreamResult[];
  /** Of the server's process; empty where the system does not tell it. */
  readonly cpuMsOfCall: number[];
}

/** `ceiling`: calls per second that the load generator makes against a server that does nothing. */
export async function reads(
  { executable, against, seconds, rounds }: BenchOptions,
  clients: number,
  ceiling: number,
): Promise<Measure[]> {
  using folder = temporaryFolder();
  await using servers = new AsyncDisposableStack();
  const sides: Side[] = [];
  for (const [index, file] of [executable, ...(against === null ? [] : [against])].entries()) {
    const side = await startSide(file, join(folder.path, String(index)), clients);
    servers.use(side.server);
    sides.push(side);
  }
  const loads = against === null ? (["reads"] as const) : (["reads", "appends"] as const);
  for (let round = 0; round <= rounds; round++) {
    for (const load of loads) {
      for (const side of sides) {
        progress(`throughput: ${load} of ${side.name}, round ${round + 1}`);
        await runRound(side.server, side[load], seconds);
      }
    }
  }
  const [own, other] = sides;
  if (own === undefined) throw new Error("Nothing was measured.");
  return [
    rateMeasure(own.reads, ceiling),
    ...(other === undefined ? [] : loads.flatMap((load) => comparison(own[load], other[load], other.name))),
    ...sides.flatMap((side) => loads.map((load) => recordsMeasure(side, side[load]))),
  ];
}

async function startSide(executable: string, folder: string, clients: number): Promise<Side> {
  const copy = copyAlone(executable, folder);
  const { commit } = (await runCommand(copy, "version")) as { commit: string };
  const dataDir = join(folder, "data");
  const server = await startServer(copy, dataDir);
  const { key } = await createProject(copy, dataDir, "reads");
  progress(`throughput: creating ${memories} memories for ${commit}`);
  const calls = (await createMemories(server, key)).map((id) => ({
    method: "GET",
    path: `/v1/memories/${id}`,
  }));
  const bodies = madeBodies().map((body) => ({ action: actions.common, ...body }));
  const appends = bodies.map((body) => ({ method: "POST", path: "/v1/audit/logs", body }));
  const loadOf = (name: string, planned: readonly PlannedCall[]) => ({
    stream: { name, clients, key, calls: planned, repeat: true },
    rounds: [],
    cpuMsOfCall: [],
  });
  return {
    ...{ name: commit, dataDir, server },
    reads: {
      ...{ what: "reads by id", action: "memory.read", status: 200, shareMin: 0.95 },
      ...loadOf("reads", calls),
    },
    appends: {
      ...{ what: "appended records of 1 KB", action: actions.common, status: 201, shareMin: 0.93 },
      ...loadOf("appends", appends),
    },
  };
}

/** Over HTTP, because the data directory of the other executable may have another format. */
async function createMemories({ port }: Server, key: string): Promise<string[]> {
  const random = createRandom(6);
  const ids: string[] = [];
  let next = 0;
  const work = async () => {
    const connection = await Connection.open(port);
    while (next < memories) {
      const body = { content: sentence(random, next++), memory_type: "fact" };
      const reply = await connection.send(toRequest("POST", "/v1/memories", key, body));
      const text = Buffer.from(reply.body).toString("utf8");
      if (reply.status !== 201) throw new Error(`A memory could not be created: ${text}`);
      ids.push((JSON.parse(text) as { data: { id: string } }).data.id);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: fillers }, work));
  return ids;
}

async function runRound(
  server: Server,
  { status, stream, rounds, cpuMsOfCall }: Load,
  seconds: number,
): Promise<void> {
  const before = cpuMilliseconds(server.pid);
  const result = await loadOne(server.port, seconds, stream, status);
  const after = cpuMilliseconds(server.pid);
  rounds.push(result);
  if (rounds.length > 1 && before !== null && after !== null)
    cpuMsOfCall.push((after - before) / result.calls);
}

function rateMeasure(load: Load, ceiling: number): Measure {
  const reached = rateOf(load);
  return {
    what: `${load.what} (${tailText(load.rounds.slice(1))})`,
    figure: perSecond(reached),
    comparedTo: `a server that does nothing: ${perSecond(ceiling)}`,
    bar: "≥ 5,000/s",
    reached: reached >= 5_000,
  };
}

/** On a machine with other work the processor time of a call says more than the rate. */
function comparison(own: Load, other: Load, commit: string): Measure[] {
  const [rate, otherRate] = [rateOf(own), rateOf(other)];
  const ratios = own.rounds.slice(1).map((round, at) => perRound(round) / perRound(other.rounds[at + 1]));
  const ratio = median(ratios);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
  const measures: Measure[] = [
    {
      what: `${own.what}, compared with commit ${commit}`,
      figure: perSecond(rate),
      comparedTo: `${perSecond(otherRate)} (${tailText(other.rounds.slice(1))}), ratio ${ratio.toFixed(2)} (rounds: ${least} to ${most})`,
      bar: `ratio ≥ ${own.shareMin}`,
      reached: ratio >= own.shareMin,
    },
  ];
  if (own.cpuMsOfCall.length === 0) return measures;
  const [mine, theirs] = [median(own.cpuMsOfCall), median(other.cpuMsOfCall)];
  const micro = (value: number) => `${(1_000 * value).toFixed(0)} µs`;
  measures.push({
    what: "processor time of the server for one of these calls",
    figure: micro(mine),
    comparedTo: `${micro(theirs)}, ratio ${(theirs / mine).toFixed(2)}`,
    bar: "",
    reached: null,
  });
  return measures;
}

function recordsMeasure({ name, dataDir }: Side, { what, action, rounds }: Load): Measure {
  const answered = rounds.reduce((sum, { calls }) => sum + calls, 0);
  const recorded = countRecords(join(dataDir, "memledger.db"), action);
  return {
    what: `records of ${what} in the database of commit ${name}`,
    figure: recorded.toLocaleString("en"),
    comparedTo: `answered: ${answered.toLocaleString("en")}`,
    bar: "equal",
    reached: recorded === answered,
  };
}

function countRecords(file: string, action: string): number {
  const database = new Database(file, { readonly: true });
  try {
    const row = database
      .query<{ records: number }, [string]>("SELECT COUNT(*) AS records FROM audit_entry WHERE action = ?")
      .get(action);
    return row?.records ?? 0;
  } finally {
    database.close();
  }
}

const rateOf = ({ rounds }: Load) => median(rounds.slice(1).map(perRound));
const perRound = (round: StreamResult | undefined) =>
  round === undefined ? Number.NaN : round.calls / round.seconds;
