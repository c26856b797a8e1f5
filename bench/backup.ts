// What a backup of 100,000 memories takes, beside a busy server and without one, and what calls notice of it. The same load runs by turns
// with and without backups, which follow one another without a pause, so that every call meets one.

import { statSync } from "node:fs";
import { join } from "node:path";
import { median, ms } from "./figures.ts";
import { fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  expectStatuses,
  progress,
  runCommand,
  type Server,
  startLoad,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import type { PlannedCall, StreamResult } from "./load-generator.ts";
import { tailOf } from "./tail.ts";
import { createRandom, sentence } from "./texts.ts";

const memories = 100_000;
/** A call is due this often, so that a slower server does not get fewer calls. */
const createEveryMs = 20;
const readEveryMs = 5;

interface Backup {
  readonly seconds: number;
  readonly bytes: number;
  readonly contentBytes: number;
}

export async function backup({ executable, seconds, rounds }: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const program = copyAlone(executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [project] = await fill(dataDir, [memories]);
  if (project === undefined) throw new Error("no project was filled");
  const target = join(folder.path, "backup.tar.zst");
  const make = () => makeBackup(program, dataDir, target);

  progress("backups without a server");
  const alone: Backup[] = [];
  for (let round = 0; round < rounds; round++) alone.push(await make());
  await using server = await startServer(program, dataDir);
  const load = createLoad(server, project.key, project.ids, seconds);
  const [quiet, busy, beside]: [Load[], Load[], Backup[]] = [[], [], []];
  let logBytes = 0;
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    quiet.push(await load());
    let isLoaded = true;
    const backups = async (): Promise<void> => {
      while (isLoaded) {
        beside.push(await make());
        logBytes = Math.max(logBytes, statSync(join(dataDir, "memledger.db-wal")).size);
      }
    };
    const made = backups();
    busy.push(await load());
    isLoaded = false;
    await made;
  }
  return [backupTable(alone, beside, logBytes), callTable(quiet, busy)];
}

async function makeBackup(program: string, dataDir: string, target: string): Promise<Backup> {
  const begun = performance.now();
  const made = await runCommand(program, "backup", target, "--force", "--data-dir", dataDir);
  const { bytes, content_bytes } = made as { bytes: number; content_bytes: number };
  return { seconds: (performance.now() - begun) / 1_000, bytes, contentBytes: content_bytes };
}

interface Load {
  readonly creates: StreamResult;
  readonly reads: StreamResult;
}

function createLoad(
  { port }: Server,
  key: string,
  ids: readonly string[],
  seconds: number,
): () => Promise<Load> {
  const random = createRandom(3);
  let created = memories;
  const create = (): PlannedCall => ({
    method: "POST",
    path: "/v1/memories",
    body: { content: sentence(random, created++), memory_type: "fact" },
  });
  const reads = ids.slice(0, 1_000).map((id) => ({ method: "GET", path: `/v1/memories/${id}` }));
  return async () => {
    const creates = Array.from({ length: Math.ceil((seconds * 1_000) / createEveryMs) }, create);
    const [first, second] = await startLoad({
      port,
      seconds,
      streams: [
        { name: "creates", clients: 8, key, calls: creates, repeat: false, everyMs: createEveryMs },
        { name: "reads", clients: 8, key, calls: reads, repeat: true, everyMs: readEveryMs },
      ],
    });
    if (first === undefined || second === undefined) throw new Error("The load generator gave no result.");
    expectStatuses(first, 201);
    expectStatuses(second, 200);
    return { creates: first, reads: second };
  };
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

function backupTable(alone: readonly Backup[], beside: readonly Backup[], logBytes: number): Table {
  const row = (what: string, backups: readonly Backup[]) => [
    what,
    `${median(backups.map(({ seconds }) => seconds)).toFixed(1)} s`,
    megabytes(median(backups.map(({ contentBytes }) => contentBytes))),
    megabytes(median(backups.map(({ bytes }) => bytes))),
  ];
  return {
    title: `Backup of ${memories} memories`,
    note: `The time of the whole command, with the start of the program. The write-ahead log had ${megabytes(logBytes)} at most after a backup beside the load.`,
    columns: ["", "time", "contents", "file"],
    rows: [row("without a server", alone), row("beside the load below", beside)],
  };
}

function callTable(quiet: readonly Load[], busy: readonly Load[]): Table {
  const row = (name: keyof Load) => {
    const loads = [quiet, busy].map((rounds) => rounds.map((load) => load[name]));
    const tail = tailOf(...loads);
    const medians = loads.map((rounds) =>
      median(rounds.map(({ latenciesMs }) => latenciesMs[Math.floor(latenciesMs.length / 2)] ?? Number.NaN)),
    );
    const figures = medians.map(
      (each, at) => `${ms(each)}, ${tail.name} ${ms(tail.values[at] ?? Number.NaN)}`,
    );
    return [name, ...figures];
  };
  return {
    title: "Calls beside backups",
    note: `${1_000 / createEveryMs} creates and ${1_000 / readEveryMs} reads by id are due per second. With backups, they follow one another without a pause. Medians, and the highest percentile that enough calls decide.`,
    columns: ["calls", "without backups", "with backups"],
    rows: [row("creates"), row("reads")],
  };
}
