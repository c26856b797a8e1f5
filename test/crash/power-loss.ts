// Explores power losses: replays a recording up to many moments, lets the disk forget what was not synced in many ways, and judges
// each state that is left.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findDeletedInCache } from "./cached-rows.ts";
import { judge, type Knowledge, materialise } from "./crash-state.ts";
import { momentOf } from "./erase.ts";
import { findInexact } from "./exact-search.ts";
import { type Call, createLoad, createRandom } from "./load.ts";
import { chooseMoments, openDisk, type Phase, sample } from "./moments.ts";
import { type Recording, type RecordOptions, record } from "./record.ts";
import { startServer, temporaryFolder } from "./server.ts";
import { type CrashOutcome, outcomes } from "./survival.ts";
import type { TraceEvent } from "./trace.ts";
import { findVerdict } from "./verify.ts";

export interface PowerLossOptions extends Omit<RecordOptions, "folder"> {
  /** How many states to judge at least, as far as there are so many. */
  readonly states: number;
  /** In how many of them, at most, the real server is started; in three times as many others while cache files are written. */
  readonly restarts: number;
}

export interface PowerLossReport {
  readonly moments: number;
  readonly states: number;
  readonly restarts: number;
  /** Of them, those with cache files of a search index, in whatever state. */
  readonly restartsWithCache: number;
  readonly answered: number;
  /** States by what the server was doing. */
  readonly phases: Readonly<Record<Phase, number>>;
  readonly losses: readonly Loss[];
}

export interface Loss {
  readonly phase: Phase;
  readonly outcome: CrashOutcome;
  readonly moment: number;
  readonly faults: readonly string[];
}

export async function explorePowerLoss(options: PowerLossOptions): Promise<PowerLossReport> {
  using folder = temporaryFolder();
  const recording = await record({ ...options, folder: folder.path });
  const random = createRandom(options.seed + 1);
  const moments = chooseMoments(recording, options.states, random);
  const phases = { start: 0, answer: 0, checkpoint: 0, names: 0, commit: 0, cache: 0 };
  const losses: Loss[] = [];
  let [states, restarts, withCache, restartsWithCache] = [0, 0, 0, 0];
  for (const state of crashStates(recording, moments, random)) {
    const target = join(folder.path, "state");
    materialise(state.files, recording.directory, target);
    const faults = [
      ...findErased(recording, state),
      ...(await judge(target, state.knowledge, namesBelow(recording, state.files))),
    ];
    const hasCache = [...state.files.keys()].some((path) => path.includes("/cache/search/"));
    if (state.phase === "cache" && hasCache) withCache += 1;
    const isChosen =
      state.phase === "cache"
        ? hasCache && restartsWithCache < 3 * options.restarts && withCache % 2 === 0
        : restarts - restartsWithCache < options.restarts &&
          random() < (2 * options.restarts) / options.states;
    if (faults.length === 0 && isChosen) {
      restarts += 1;
      if (state.phase === "cache") restartsWithCache += 1;
      faults.push(...(await startAgain({ command: options.command, recording }, state, target)));
    }
    states += 1;
    phases[state.phase] += 1;
    if (faults.length > 0) losses.push({ ...state, faults });
  }
  const answered = recording.calls.filter(({ status }) => status !== null).length;
  return { moments: moments.size, states, restarts, restartsWithCache, answered, phases, losses };
}

interface CrashState {
  readonly moment: number;
  readonly phase: Phase;
  readonly outcome: CrashOutcome;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly knowledge: Knowledge;
}

function* crashStates(
  recording: Recording,
  moments: ReadonlyMap<number, Phase>,
  random: () => number,
): Generator<CrashState> {
  const disk = openDisk(recording);
  const signing = join(recording.directory.root, "audit.key");
  const signingKey = existsSync(signing) ? readFileSync(signing) : null;
  const listener = createListener(recording.calls);
  for (const [moment, event] of recording.events.entries()) {
    disk.apply(event);
    listener.hear(event);
    const phase = moments.get(moment);
    if (phase === undefined) continue;
    const knowledge = { ...listener.knowledge(), signingKey, leastRecords: recording.leastRecords };
    const isSettled = disk.pendingOf(/./) + disk.pendingNames === 0;
    const chosen = isSettled ? outcomes.slice(0, 1) : sample(outcomes, 3, random);
    for (const outcome of chosen) {
      yield { moment, phase, outcome, files: disk.crash(outcome, random), knowledge };
    }
  }
}

/** What the clients know, from the requests and answers in the trace. */
function createListener(calls: readonly Call[]) {
  const asked = new Map<string, number>();
  const answered = new Set<number>();
  let isReady = false;
  return {
    hear(event: TraceEvent): void {
      if (event.kind === "request") asked.set(event.socket, event.call);
      if (event.kind === "ready") isReady = true;
      const call = event.kind === "answer" ? asked.get(event.socket) : undefined;
      if (call !== undefined) answered.add(call);
    },
    knowledge: () => ({
      isReady,
      calls: calls.map((call) => (answered.has(call.number) ? call : { ...call, status: null })),
    }),
  };
}

/** The real program must verify what is left, come up on it, take a call, search exactly, and have everything afterwards. */
async function startAgain(
  { command, recording }: { command: readonly string[]; recording: Recording },
  { files, knowledge }: CrashState,
  target: string,
): Promise<string[]> {
  materialise(files, recording.directory, target);
  if (knowledge.isReady) {
    const verdict = await findVerdict(command, target);
    if (verdict.length > 0) return verdict;
  }
  const server = await startServer({ dataDir: target, command }).catch((error: unknown) => String(error));
  if (typeof server === "string") return [server];
  try {
    if (server.apiKey !== null && knowledge.isReady) return ["the server made a new first key"];
    const key = server.apiKey ?? recording.key;
    const call = await createLoad(0).send({ url: server.url, key }, "memory.list");
    if (call.status !== 200 && knowledge.isReady && key !== "")
      return [`after its restart the server answered ${call.status}`];
    if (call.status === 200) {
      const { url, projectId } = server;
      const load = createLoad(0);
      const inexact = await findInexact({ url, key, projectId, database: locate(target).database }, load);
      // It is answered when the cache files have been compared with the database.
      await load.send({ url, key }, "memory.delete");
      const faults = [...inexact, ...findDeletedInCache(target, projectId)];
      if (faults.length > 0) return faults;
    }
  } finally {
    await server.stop();
  }
  // The calls have numbers that were taken, and a key that had signed nothing may have been replaced.
  const calls = knowledge.calls.filter(({ number }) => number > 1);
  const after = { ...knowledge, calls, signingKey: null };
  // Its files are other ones now: it goes on with exports that the power loss interrupted.
  return [...(await judge(target, after, readFiles(target))), ...(await findVerdict(command, target))];
}

/** What was reported as erased is in no file, not even in a log that comes back. */
function findErased({ erasure, events }: Recording, { files, moment }: CrashState): string[] {
  if (erasure === null || moment < momentOf(erasure, events)) return [];
  const holders = [...files].filter(([, content]) => content.includes(erasure.salt));
  return holders.map(([path]) => `what was erased stands in ${basename(path)}`);
}

/** Content by path below a data directory, without the native libraries. */
function readFiles(root: string): Map<string, Buffer> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => !path.startsWith("runtime") && statSync(join(root, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(root, path))]));
}

function namesBelow({ directory }: Recording, files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  return new Map([...files].map(([path, content]) => [relative(directory.root, path), content]));
}
