// Runs the long proofs and prints what each of them has seen. Without a group all of them run; `--help` prints the options. Ends with 1 when one
// of them fails. What cannot run on this machine is named, never passed over.

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { abandon } from "../attack/abandon.ts";
import { measure } from "../attack/attack.ts";
import { flood } from "../attack/flood.ts";
import { live } from "../audit/model-run.ts";
import { python } from "../audit/second-verifier.ts";
import { proveHistories } from "../audit/tree-histories.ts";
import { judgeMutations } from "../audit/version-2-mutations.ts";
import { observe, observePage, stopObservation } from "../egress/namespace.ts";
import { searchDuringWrites } from "../engines/sqlite/search-concurrency.ts";
import { liveSearches } from "../engines/sqlite/search-life.ts";
import { proveStreams } from "../gateway/proof/streams.ts";
import { compareResidentMemory } from "../memory/search/resident-memory.ts";
import { searchServed } from "../memory/search/served-search.ts";
import { scale } from "../scale/scale.ts";
import { soak } from "../soak/soak.ts";
import { interruptMigration } from "../upgrade/interrupted.ts";
import { keptFormats } from "../upgrade/kept-formats.ts";
import { failCacheFiles } from "./cache-fault.ts";
import { type FaultOptions, runFault } from "./disk-fault.ts";
import { failing, fullFileSystem, noFileMayGrow, whyNoMount } from "./disk-faults.ts";
import { killRepeatedly } from "./kill.ts";
import { explorePowerLoss, type PowerLossReport } from "./power-loss.ts";
import { whyNoTrace } from "./record.ts";
import { fromSource, killAll, weakened } from "./server.ts";

/** What can be chosen on the command line. */
const groups = [
  "kill",
  "power-loss",
  "disk",
  "egress",
  "attack",
  "model",
  "verifiers",
  "tree",
  "search",
  "upgrade",
  "gateway",
  "scale",
  "soak",
] as const;
type Group = (typeof groups)[number];

const usage = `bun run proof [${groups.join("|")} ...] [options]
  --kills N           kills of a server under load (default: 20)
  --states N          simulated states of the disk after a power loss (default: 400)
  --lives N           random runs that are compared with the model of the audit records (default: 4)
  --mutations N       changed files of the ledger about which both verifiers are asked (default: 400)
  --proofs N          pairs of sizes of Merkle trees between which proofs are checked (default: 100000)
  --search-lives N    random lives of large projects that are searched (default: 4)
  --egress-seconds N  how long the network and the files are observed (default: 600)
  --gateway-seconds N length of the load of 200 streams at once (default: 60)
  --minutes N         length of the mixed load at scale, and of the soak test (default: 10)
  --memories N        memories of the project at scale (default: 1000000)
  --steps N           steps of a migration that are interrupted (default: 8)
  --screenshot FILE   where the picture of the reference page is written
  --seed N            of the random choices (default: 1)
  --executable FILE   the executable to prove (default: dist/memledger; make it with: bun run build)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", default: false },
    kills: { type: "string", default: "20" },
    states: { type: "string", default: "400" },
    lives: { type: "string", default: "4" },
    mutations: { type: "string", default: "400" },
    proofs: { type: "string", default: "100000" },
    "search-lives": { type: "string", default: "4" },
    "egress-seconds": { type: "string", default: "600" },
    "gateway-seconds": { type: "string", default: "60" },
    minutes: { type: "string", default: "10" },
    memories: { type: "string", default: "1000000" },
    steps: { type: "string", default: "8" },
    screenshot: { type: "string", default: join(tmpdir(), "memledger-docs.png") },
    seed: { type: "string", default: "1" },
    executable: { type: "string", default: join(import.meta.dir, "../../dist/memledger") },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const [kills, states, seed] = [Number(values.kills), Number(values.states), Number(values.seed)];
const lives = Number(values.lives);
const executable = existsSync(values.executable) ? [resolve(values.executable)] : null;
const unknown = positionals.find((name) => !groups.some((group) => group === name));
if (unknown !== undefined)
  throw new Error(`there is no group ${unknown}; the groups are ${groups.join(", ")}`);
const noTrace = whyNoTrace();
const whyNoMemory = process.platform === "linux" ? null : "memory is measured on Linux only";

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void Promise.all([killAll(), stopObservation()]).finally(() => process.exit(130)));
}

let failures = 0;

/** @param why names what is missing here; then the proof does not run. */
async function prove(
  group: Group,
  name: string,
  work: () => Promise<Finding>,
  why: string | null = null,
): Promise<void> {
  if (positionals.length > 0 && !positionals.includes(group)) return;
  if (why !== null) return print(`skipped: ${name}: ${why}`);
  const begun = performance.now();
  const { seen, faults } = await work().catch((error: unknown) => ({
    seen: "",
    faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }));
  await killAll();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  print(`${faults.length === 0 ? "ok" : "FAILED"}: ${name}: ${seen} (${seconds} s)`);
  for (const fault of faults.slice(0, 20)) print(`  ${fault}`);
  if (faults.length > 0) failures += 1;
}

interface Finding {
  readonly seen: string;
  readonly faults: readonly string[];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function kill(command: readonly string[]): Promise<Finding> {
  const { answered, unanswered, faults, ...report } = await killRepeatedly({ kills, seed, command });
  return { seen: `${report.kills} kills, ${answered} calls answered, ${unanswered} cut off`, faults };
}

function describeStates({
  states: judged,
  moments,
  losses,
  answered,
  restarts,
  restartsWithCache,
  phases,
}: PowerLossReport) {
  const where = Object.entries(phases).map(([phase, count]) => `${phase} ${count}`);
  return `${judged} states of ${moments} moments (${where.join(", ")}), ${answered} calls answered, ${restarts} restarts (${restartsWithCache} of them while cache files were written), ${losses.length} states with losses`;
}

async function losePower(options: Partial<Parameters<typeof explorePowerLoss>[0]>): Promise<PowerLossReport> {
  const calls = Math.min(1_500, Math.max(100, Math.round(states / 2)));
  const restarts = Math.min(20, Math.ceil(states / 100));
  return explorePowerLoss({ command: fromSource, calls, seed, states, restarts, ...options });
}

async function loseNothing(options: Partial<Parameters<typeof explorePowerLoss>[0]>): Promise<Finding> {
  const report = await losePower(options);
  const faults = report.losses.map(
    ({ phase, outcome, moment, faults: found }) =>
      `${phase}, event ${moment}, ${outcome}: ${found.join("; ")}`,
  );
  return { seen: describeStates(report), faults };
}

async function loseSomething(): Promise<Finding> {
  // Enough to show that the explorer sees: without syncs all that was ever written stays pending, which takes memory.
  const report = await losePower({
    command: weakened,
    calls: 200,
    states: Math.min(450, states),
    restarts: 0,
  });
  const lost = report.losses.filter(({ faults }) => faults.some((fault) => fault.endsWith("has no record")));
  const faults = lost.length > 0 ? [] : ["the explorer found no loss where there must be some"];
  return { seen: describeStates(report), faults };
}

async function liveOften(): Promise<Finding> {
  let records = 0;
  for (let life = 0; life < lives; life++)
    records += (await live({ seed: seed + life, steps: 1_000 })).records;
  return { seen: `${lives} lives of 1,000 steps, ${records} records`, faults: [] };
}

async function verifyMutations(): Promise<Finding> {
  const seeds = Array.from({ length: Number(values.mutations) }, (_, index) => seed * 1_000_000 + index);
  const { changes, kinds, found, allowed, faults } = await judgeMutations(seeds);
  const none = changes === 0 ? ["Python found no zstd library"] : [];
  const seen = `${changes} changes of ${kinds} kinds, ${found} found, ${allowed} that the page allows`;
  return { seen, faults: [...none, ...faults] };
}

async function proveTrees(): Promise<Finding> {
  const { histories, cases, flippedBits, faults } = proveHistories(Number(values.proofs), seed);
  return { seen: `${cases} pairs of sizes in ${histories} histories, ${flippedBits} bits changed`, faults };
}

/** Large enough for several blocks of an index, several tasks and several threads. */
const searchedMemories = 26_000;

async function liveSearchedOften(searchCacheBytes: number): Promise<Finding> {
  let [answers, hits, ties] = [0, 0, 0];
  for (let life = 0; life < Number(values["search-lives"]); life++) {
    const dimensions = [384, 96, 64, 33][life % 4] ?? 384;
    const size = { memories: searchedMemories, steps: 25, searches: 12 };
    const { compared } = await liveSearches({ ...size, seed: seed + life, dimensions, searchCacheBytes });
    answers += compared.answers;
    hits += compared.hits;
    ties += compared.ties;
  }
  return { seen: `${answers} answers, ${hits} memories in them, ${ties} with equal scores`, faults: [] };
}

async function searchedDuringWrites(searchCacheBytes: number): Promise<Finding> {
  const projects = [300, 1, 9_000, searchedMemories];
  const options = { seed, dimensions: 96, projects, clients: 6, bursts: 40, searchCacheBytes };
  const { answers, duringWrites, aborted } = await searchDuringWrites(options);
  const seen = `${answers} answers, ${duringWrites} of them with a write that was not answered yet, ${aborted} given up`;
  return { seen, faults: [] };
}

async function searchedOverHttp(): Promise<Finding> {
  const options = { command: executable ?? [], seed, memories: searchedMemories, searches: 10 };
  const { events, answers, hits, cacheFiles, complaints, faults } = await searchServed(options);
  const logged = complaints.length === 0 ? "nothing logged" : `logged: ${complaints.join(" | ")}`;
  const seen = `${events} events, ${answers} answers, ${hits} memories in them, ${cacheFiles} cache files spoilt, ${logged}`;
  return { seen, faults };
}

async function heldByIndexes(): Promise<Finding> {
  const options = { command: executable ?? [], projects: 4, memories: 60_000, limitMb: 40 };
  const { countedMb, residentMb, limitedMb, residentLimitedMb, faults } =
    await compareResidentMemory(options);
  const show = (counted: number, resident: number) =>
    `${resident.toFixed(0)} MB for ${counted.toFixed(0)} MB of indexes`;
  const seen = `${show(countedMb, residentMb)}; with a limit ${show(limitedMb, residentLimitedMb)}`;
  return { seen, faults };
}

async function loseDisk(options: Omit<FaultOptions, "seed">): Promise<Finding> {
  const { faults, refusedMeanwhile, recoveredAfterMs } = await runFault({ seed, ...options });
  const recovery = options.killMeanwhile
    ? "killed meanwhile"
    : `back after ${Math.round(recoveredAfterMs)} ms`;
  return { seen: `${refusedMeanwhile} calls refused, ${recovery}`, faults };
}

const noLimit = Bun.which("prlimit") === null ? "prlimit is not installed" : null;
const killMeanwhile = true;
const isIntermittent = true;

await prove("kill", "a server from source that is killed under load loses nothing", () => kill(fromSource));
await prove(
  "kill",
  "an executable that is killed under load loses nothing",
  () => kill(executable ?? []),
  executable === null ? `${values.executable} is not built` : null,
);
await prove(
  "power-loss",
  "a power loss takes nothing that was answered and brings back nothing that was erased",
  () => loseNothing({ erases: true }),
  noTrace,
);
await prove(
  "power-loss",
  "a power loss takes nothing from the executable",
  () => loseNothing({ command: executable ?? [], states: Math.ceil(states / 2), restarts: 1 }),
  executable === null ? `${values.executable} is not built` : noTrace,
);
const databases = join(import.meta.dir, "../engines/sqlite");
await prove(
  "power-loss",
  "a power loss while a database of format 1 is migrated leaves the old or the new one",
  () => loseNothing({ database: join(databases, "format-1.db"), calls: 0 }),
  noTrace,
);
const former = join(databases, "version-0.1.0");
await prove(
  "power-loss",
  "a power loss while a database of version 0.1.0 is migrated leaves the old or the new one",
  () =>
    loseNothing({
      database: join(former, "memledger.db"),
      beside: [join(former, "audit.key"), join(former, "audit.pub")],
      calls: 0,
    }),
  noTrace,
);
await prove("power-loss", "with synchronous = NORMAL the explorer finds losses", loseSomething, noTrace);

const disks: readonly (readonly [name: string, options: Omit<FaultOptions, "seed">, why: string | null])[] = [
  ["no file may grow", { fault: noFileMayGrow }, noLimit],
  ["the disk is full (ENOSPC)", { fault: failing("pwrite64", "ENOSPC") }, noTrace],
  ["writes fail (EIO)", { fault: failing("pwrite64", "EIO") }, noTrace],
  ["syncs fail (EIO)", { fault: failing("fsync", "EIO") }, noTrace],
  ["reads fail (EIO)", { fault: failing("pread64", "EIO") }, noTrace],
  ["everything fails (EIO)", { fault: failing("pread64,pwrite64,fsync,ftruncate", "EIO") }, noTrace],
  ["reads fail now and then", { fault: failing("pread64", "EIO", ":when=10+10"), isIntermittent }, noTrace],
  ["writes fail now and then", { fault: failing("pwrite64", "EIO", ":when=40+40"), isIntermittent }, noTrace],
  ["syncs fail now and then", { fault: failing("fsync", "EIO", ":when=3+3"), isIntermittent }, noTrace],
  ["syncs fail, then a kill", { fault: failing("fsync", "EIO"), killMeanwhile }, noTrace],
  ["the disk is full, then a kill", { fault: failing("pwrite64", "ENOSPC"), killMeanwhile }, noTrace],
  ["a file system is full", { fault: fullFileSystem }, whyNoMount()],
  [
    "a file system is full, then a kill and a restart",
    { fault: fullFileSystem, killMeanwhile, restartMeanwhile: true },
    whyNoMount(),
  ],
];
for (const [name, options, why] of disks) {
  await prove(
    "disk",
    `nothing is lost or half done while ${name}, and everything works again`,
    () => loseDisk(options),
    why,
  );
}
await prove(
  "disk",
  "nothing of the executable is lost or half done while no file may grow, and everything works again",
  () => loseDisk({ fault: noFileMayGrow, command: executable ?? [] }),
  executable === null ? `${values.executable} is not built` : noLimit,
);
for (const [name, injection] of [
  ["the disk is full (ENOSPC)", "pwrite64:error=ENOSPC"],
  ["everything fails (EIO)", "pwrite64,fdatasync,fsync,rename,renameat,renameat2:error=EIO"],
  ["syncs of folders fail (EIO)", "fsync:error=EIO"],
] as const) {
  await prove(
    "disk",
    `searches are exact and nothing fails while ${name} for cache files only, and they are written again`,
    async () => {
      const { answered, faults } = await failCacheFiles({ injection, seed });
      return { seen: `${answered} calls answered`, faults };
    },
    noTrace,
  );
}

await prove(
  "egress",
  "the executable reaches no network, looks up nothing, and writes nothing outside the data directory",
  () => observe({ executable: values.executable, seconds: Number(values["egress-seconds"]) }),
  executable === null ? `${values.executable} is not built` : noTrace,
);
await prove(
  "egress",
  "the reference page of the executable asks nobody else in Chromium, and no request fails",
  () => observePage(values.executable, values.screenshot),
  executable === null
    ? `${values.executable} is not built`
    : Bun.which("chromium") === null
      ? "chromium is not installed: apt-get install chromium"
      : null,
);
const attackSeconds = 8;
await prove(
  "attack",
  "one project floods the server with texts to extract, and no call of another is refused",
  () => measure(flood, attackSeconds),
);
await prove(
  "attack",
  "one project abandons its searches all the time, and no call of another is refused",
  () => measure(abandon, attackSeconds),
);

await prove("model", "every call leaves its one record in lives that a model has lived before", liveOften);

await prove(
  "verifiers",
  "two independent verifiers find the same changes of databases and exports of version 2",
  verifyMutations,
  python === null ? "python3 is not installed" : null,
);

await prove(
  "tree",
  "two verifiers accept every proof of trees of any history, between any two sizes, and none with a bit changed",
  proveTrees,
);

for (const [where, searchCacheBytes] of [
  ["with indexes in memory", 512 * 1024 * 1024],
  ["in the database", 0],
] as const) {
  await prove("search", `every order is that of a naive ranking, ${where}`, () =>
    liveSearchedOften(searchCacheBytes),
  );
  await prove("search", `every answer during writes is that of one state, ${where}`, () =>
    searchedDuringWrites(searchCacheBytes),
  );
}
await prove(
  "search",
  "the executable ranks exactly after kills, and whatever happens to its cache",
  searchedOverHttp,
  executable === null ? `${values.executable} is not built` : null,
);
await prove(
  "search",
  "search indexes of several projects hold the memory that they count, and no more than their limit",
  heldByIndexes,
  executable === null ? `${values.executable} is not built` : whyNoMemory,
);

for (const kept of keptFormats) {
  const { format, folder } = kept;
  await prove(
    "upgrade",
    `a migration of format ${format} that is killed or meets a full disk goes on with everything at the next start`,
    async () => {
      const steps = Number(values.steps);
      const report = await interruptMigration(kept, { command: executable ?? [], steps });
      return {
        seen: `${report.interruptions} interruptions in ${report.steps} steps`,
        faults: report.faults,
      };
    },
    executable === null ? `${values.executable} is not built` : noTrace,
  );
  await prove(
    "upgrade",
    `a power loss while a database of format ${format} is migrated leaves the old or the new one`,
    () =>
      loseNothing({
        database: join(folder, "memledger.db"),
        beside: [join(folder, "audit.key"), join(folder, "audit.pub")],
        calls: 0,
        states: Math.ceil(states / 4),
        restarts: 1,
      }),
    noTrace,
  );
}

await prove(
  "gateway",
  "200 streams at once arrive as they were sent, whatever clients and upstreams do, and the records have what was streamed",
  () =>
    proveStreams({
      streams: 200,
      seconds: Number(values["gateway-seconds"]),
      seed,
      command: executable ?? [],
    }),
  executable === null ? `${values.executable} is not built` : whyNoMemory,
);

await prove(
  "scale",
  "a large project is searched exactly, within its memory, while it is changed in every way and its server is killed",
  () =>
    scale({
      memories: Number(values.memories),
      minutes: Number(values.minutes),
      seed,
      command: executable ?? [],
    }),
  executable === null ? `${values.executable} is not built` : whyNoMemory,
);

await prove(
  "soak",
  "nothing is lost or left over, and memory does not grow, while everything is used for a long time and killed now and then",
  () => soak({ minutes: Number(values.minutes), seed, command: executable ?? [] }),
  executable === null ? `${values.executable} is not built` : whyNoMemory,
);

print(failures === 0 ? "all proofs hold" : `${failures} proofs failed`);
process.exit(failures === 0 ? 0 : 1);
