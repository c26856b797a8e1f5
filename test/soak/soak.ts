// Uses two servers for a long time: one is killed again and again, the other one lives until the end. Nothing that was answered may be lost,
// no file may be left over, and memory must not grow. Linux only. Must never end a process that it did not start.

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findFaults, findLostCalls } from "../crash/check.ts";
import { findLostMemories } from "../crash/kept-memories.ts";
import { createLoad, createRandom, type Load, type Target } from "../crash/load.ts";
import { type Server, startServer, temporaryFolder } from "../crash/server.ts";
import { findSecondVerdict, findVerdict } from "../crash/verify.ts";
import { findBackupLeftovers, findFiles, findLeftovers } from "./leftovers.ts";
import { readUsage, type Usage } from "./processes.ts";
import { averageGroups, fitSlope, type Point, type Slope } from "./slope.ts";
import { createTraffic, type Traffic } from "./traffic.ts";

interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Words before `serve`; a path in them is absolute. */
  readonly command: readonly string[];
}

interface SoakReport {
  readonly seen: string;
  readonly faults: readonly string[];
}

const killEveryMs = 30_000;
const shortestLifeMs = 5_000;
const sampleEveryMs = 1_000;
const commandEveryMs = 5_000;
const clients = { strict: 2, wide: 3 };
const backupsKept = 2;
/** Of the time. The warm-up ends when code is compiled, each thread has run, and the caches are full. */
const warmUpShare = 0.4;
/** The writing connection keeps 32 MiB of the pages that it has written: a smaller database would fill this cache during the measurement. */
const filledMiB = 48;
const groupSamples = 15;
/** A slope in a shorter time says nothing: one garbage collection moves it by hundreds of MiB per hour. */
const judgedFromMinutes = 8;
/** What the lower bound of the confidence interval may reach: 60 MiB/hour are 10 MiB in the ten minutes of a soak. */
const leakMiBPerHour = 60;
const permissions = "memory.read,memory.write,audit.read,audit.export,audit.write";
const projects = ["default", "wide", "many"] as const;

/** One data directory with its servers, its load, and what it was told. */
interface Place {
  readonly dataDir: string;
  readonly command: readonly string[];
  readonly load: Load;
  readonly wide: Traffic;
  readonly many: Traffic;
  readonly keys: Map<string, string>;
  readonly faults: string[];
  start(): Promise<Server>;
  /** @returns what it has written to stdout */
  run(words: readonly string[], codes?: readonly number[]): Promise<string>;
}

export async function soak({ minutes, seed, command }: SoakOptions): Promise<SoakReport> {
  using folder = temporaryFolder();
  const empty = ["home", "tmp", "cwd"].map((name) => join(folder.path, name));
  for (const path of empty) mkdirSync(path, { recursive: true });
  const endAt = Date.now() + minutes * 60_000;
  const [killed, lasting] = ["killed", "lasting"].map((name, index) =>
    createPlace({ root: join(folder.path, name), empty, command, seed: seed + index }),
  );
  if (killed === undefined || lasting === undefined) throw new Error("unreachable");
  const [lives, memory] = await Promise.all([
    liveAndDie(killed, endAt, seed),
    liveOn(lasting, endAt, minutes),
  ]);
  const faults = [
    ...killed.faults.map((fault) => `killed server: ${fault}`),
    ...lasting.faults.map((fault) => `lasting server: ${fault}`),
    ...empty.flatMap(findFiles),
    ...judgeGrowth("after the same time since each start", lives.slope, minutes),
    ...judgeGrowth("of the lasting server", memory.resident, minutes),
  ];
  const answered = [killed, lasting].map(countAnswered);
  const seen = [
    `${minutes} minutes, ${lives.kills} kills, ${answered.join(" and ")} calls answered`,
    `${[killed, lasting].map(({ wide, many }) => wide.kept.size + many.kept.size).join(" and ")} memories kept`,
    `resident memory of the lasting server ${describe(memory.resident)}, ${memory.usage}`,
    `of the killed server after the same time since each start ${describe(lives.slope)}`,
  ];
  return { seen: seen.join("; "), faults };
}

function createPlace(options: {
  root: string;
  empty: readonly string[];
  command: readonly string[];
  seed: number;
}): Place {
  const { root, empty, command, seed } = options;
  const [home = "", temporary = "", cwd = ""] = empty;
  mkdirSync(root, { recursive: true });
  const dataDir = join(root, "data");
  const faults: string[] = [];
  const environment = [`PATH=${process.env.PATH ?? ""}`, `HOME=${home}`, `TMPDIR=${temporary}`];
  const wrapper = ["env", "-i", "-C", cwd, ...environment];
  return {
    dataDir,
    command,
    faults,
    load: createLoad(seed),
    wide: createTraffic(seed + 100),
    many: createTraffic(seed + 200),
    keys: new Map(),
    start: () =>
      startServer({
        dataDir,
        command,
        wrapper,
        flags: [
          ...[
            "--backup-dir",
            join(root, "backups"),
            "--backup-every",
            "1m",
            "--backup-keep",
            `${backupsKept}`,
          ],
          ...["--metrics-port", "0"],
        ],
      }),
    async run(words, codes = [0]) {
      const child = Bun.spawn([...wrapper, ...command, ...words, "--data-dir", dataDir], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr, code] = await Promise.all([
        child.stdout.text(),
        child.stderr.text(),
        child.exited,
      ]);
      // Without codes any end is right: the server may be killed meanwhile.
      if (codes.length > 0 && !codes.includes(code))
        faults.push(`${words.join(" ")} ended with ${code}: ${stderr.slice(0, 300)}`);
      return stdout;
    },
  };
}

/** Makes the projects at the first start. */
async function prepare(place: Place, server: Server): Promise<void> {
  if (server.apiKey === null) return;
  place.keys.set("default", server.apiKey);
  for (const name of projects.slice(1)) {
    await place.run(["project", "create", "--name", name, "--plan", "custom"]);
    const made: Json = JSON.parse(
      await place.run(["key", "create", "--project", name, "--permissions", permissions, "--json"]),
    );
    if (isObject(made)) place.keys.set(name, String(made.key));
  }
}

/** Mixed load of all projects, and commands beside it, until told to stop. */
async function use(place: Place, server: Server, isOver: () => boolean, isKilled: boolean): Promise<void> {
  const target = (name: string): Target => ({ url: server.url, key: place.keys.get(name) ?? "" });
  const strict = async () => {
    const paced = { clients: clients.strict, calls: clients.strict * 4, isOver };
    while (!isOver()) {
      await place.load.run(target("default"), paced);
      await Bun.sleep(100);
    }
  };
  const administer = async () => {
    for (let turn = 0; !isOver(); turn++) {
      const copy = join(place.dataDir, "..", "copy.tar.zst");
      rmSync(copy, { force: true });
      const words = [...commands, ["backup", copy]][turn % (commands.length + 1)] ?? [];
      await place.run(words, isKilled ? [] : [0, 10]);
      for (let waited = 0; waited < commandEveryMs && !isOver(); waited += 100) await Bun.sleep(100);
    }
  };
  await Promise.all([
    strict(),
    place.wide.run(target("wide"), { clients: clients.wide, isOver }),
    place.many.run(target("many"), { clients: 1, isOver }),
    administer(),
  ]);
}

/** Beside a running server; `audit verify` reads the database itself. */
const commands: readonly (readonly string[])[] = [
  ["project", "list"],
  ["audit", "verify"],
  ["audit", "checkpoint"],
  ["doctor"],
  ["audit", "prune"],
];

async function liveAndDie(place: Place, endAt: number, seed: number) {
  const random = createRandom(seed);
  const resident: Point[] = [];
  let kills = 0;
  const begun = Date.now();
  while (place.faults.length === 0) {
    const server = await place.start();
    await prepare(place, server);
    if (kills > 0) place.faults.push(...findLosses(place));
    if (Date.now() >= endAt || place.faults.length > 0) {
      await finish(place, server);
      break;
    }
    let isOver = false;
    const using = use(place, server, () => isOver, true);
    // Always after the same time, so that every life has done about the same.
    const life = Math.min(killEveryMs, Math.max(shortestLifeMs, endAt - Date.now()));
    await Bun.sleep(life);
    const usage = readUsage(server.pid);
    if (usage === null) place.faults.push(`the server ended: ${server.log().slice(0, 500)}`);
    else if (life === killEveryMs)
      resident.push({ x: (Date.now() - begun) / 3_600_000, y: usage.residentMiB });
    await Bun.sleep(random() * 300);
    await server.kill();
    isOver = true;
    await using;
    kills += 1;
  }
  return { kills, slope: fitSlope(resident) };
}

async function liveOn(place: Place, endAt: number, minutes: number) {
  const begun = Date.now();
  const server = await place.start();
  await prepare(place, server);
  const warmAt = begun + warmUpShare * (endAt - begun);
  if (minutes >= judgedFromMinutes) await fill(place, server, warmAt);
  const samples: (Usage & { readonly hours: number })[] = [];
  let isOver = false;
  const using = use(place, server, () => isOver, false);
  while (Date.now() < endAt && !server.hasEnded()) {
    await Bun.sleep(sampleEveryMs);
    const usage = readUsage(server.pid);
    if (usage !== null) samples.push({ ...usage, hours: (Date.now() - begun) / 3_600_000 });
  }
  isOver = true;
  await using;
  if (server.hasEnded()) place.faults.push(`the server ended: ${server.log().slice(0, 500)}`);
  await finish(place, server);
  const warm = samples.filter(({ hours }) => hours * 3_600_000 >= warmAt - begun);
  const pick = (value: (usage: Usage) => number) => {
    const points = warm.map((usage) => ({ x: usage.hours, y: value(usage) }));
    return fitSlope(averageGroups(points, groupSamples));
  };
  const most = (value: (usage: Usage) => number) =>
    Math.max(0, ...samples.map((usage) => Math.round(value(usage))));
  const keepSamples = process.env.MEMLEDGER_SOAK_SAMPLES;
  if (keepSamples !== undefined) writeFileSync(keepSamples, JSON.stringify(samples));
  return {
    resident: pick(({ residentMiB }) => residentMiB),
    usage: `at most ${most(({ residentMiB }) => residentMiB)} MiB, ${most(({ openFiles }) => openFiles)} open files, ${most(({ threads }) => threads)} threads`,
  };
}

/** Until the caches are full. */
async function fill(place: Place, server: Server, untilMs: number): Promise<void> {
  const { database } = locate(place.dataDir);
  const isFull = () => statSync(database).size >= filledMiB * 1024 * 1024;
  await place.wide.fill(
    { url: server.url, key: place.keys.get("wide") ?? "" },
    () => isFull() || Date.now() >= untilMs,
  );
  if (!isFull())
    place.faults.push(`the database has not reached ${filledMiB} MiB during the warm-up: use more --minutes`);
}

/** Ends a server in order, and judges everything that it leaves. */
async function finish(place: Place, server: Server): Promise<void> {
  const last = await place.load.send(
    { url: server.url, key: place.keys.get("default") ?? "" },
    "memory.create",
  );
  if (last.status !== 201) place.faults.push(`the last call was answered ${last.status}`);
  const code = await server.stop();
  if (code !== 0) place.faults.push(`the server ended with ${code}`);
  if (server.log() !== "") place.faults.push(`the server has logged ${server.log().slice(0, 500)}`);
  place.faults.push(
    // First: whoever reads the database makes files beside it.
    ...findLeftovers(place.dataDir),
    ...findBackupLeftovers(join(place.dataDir, "../backups"), backupsKept),
    ...readdirSync(join(place.dataDir, ".."))
      .filter((name) => !["data", "backups", "copy.tar.zst"].includes(name))
      .map((name) => `${name} is left beside the data directory`),
    ...findLosses(place),
    ...(await findVerdict(place.command, place.dataDir)),
    ...(await findSecondVerdict(place.dataDir)),
  );
}

function findLosses(place: Place): string[] {
  const { database } = locate(place.dataDir);
  return [
    ...findFaults(database, place.load.calls),
    ...(["wide", "many"] as const).flatMap((name) => [
      ...findLostCalls(database, place[name].calls, name).map((fault) => `${name}: ${fault}`),
      ...findLostMemories(database, place[name].kept).map((fault) => `${name}: ${fault}`),
      ...place[name].faults().map((fault) => `${name}: ${fault}`),
    ]),
  ];
}

function countAnswered({ load, wide, many }: Place): number {
  const others = [wide, many].flatMap(({ answered }) => [...answered.values()]);
  return (
    load.calls.filter(({ status }) => status !== null).length + others.reduce((sum, count) => sum + count, 0)
  );
}

function judgeGrowth(what: string, found: Slope | null, minutes: number): string[] {
  if (minutes < judgedFromMinutes || found === null || found.slope - found.margin <= leakMiBPerHour)
    return [];
  return [`the resident memory ${what} grows: ${describe(found)}`];
}

function describe(found: Slope | null): string {
  if (found === null) return "was measured too briefly for a slope";
  const [mean, slope, margin] = [found.mean, found.slope, found.margin].map((value) => value.toFixed(0));
  return `was ${mean} MiB on average with a slope of ${slope} ± ${margin} MiB/hour`;
}
