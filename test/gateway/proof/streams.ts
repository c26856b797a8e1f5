// Proves that many streams at once pass the gateway of a running server: none is lost or mixed, memory does not grow, other operations stay
// fast, and the records have what was streamed, also of clients that hang up and while the upstream is killed. Linux only.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "../../../bench/figures.ts";
import { startLoad } from "../../../bench/harness.ts";
import { createRandom } from "../../../bench/texts.ts";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { startServer, temporaryFolder } from "../../crash/server.ts";
import { findSecondVerdict, findVerdict } from "../../crash/verify.ts";
import { readUsage } from "../../soak/processes.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream.ts";
import { upstreamTables } from "../served.ts";
import { type Outcome, streamAll } from "./clients.ts";
import { answerSpoken } from "./spoken.ts";

export interface StreamsOptions {
  readonly streams: number;
  readonly seconds: number;
  readonly seed: number;
  /** Words before `serve`. */
  readonly command: readonly string[];
}

interface Report {
  readonly seen: string;
  readonly faults: readonly string[];
}

const pauseMs = 100;
const words = [300, 1_200] as const;
const hangUpShare = 0.1;
/** Resident memory of the last third of the time above that of the second. */
const growthMaxMiB = 32;
const slowestShare = 3;
/** A shorter load says too little about memory and percentiles: they are printed, and not judged. */
const judgedFromSeconds = 60;
const permissions = "gateway.use,memory.read,memory.write,audit.read";

export async function proveStreams({ streams, seconds, seed, command }: StreamsOptions): Promise<Report> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  let upstream = await startSpeaking(0);
  const { port, origin } = upstream;
  const made = await startServer({ dataDir, command });
  await made.stop();
  writeFileSync(join(dataDir, "memledger.toml"), upstreamTables(origin, "memory-deadline-ms = 1000"));
  const server = await startServer({ dataDir, command });
  const faults: string[] = [];
  try {
    const run = async (...told: string[]) =>
      runCommand([...command, ...told, "--json", "--data-dir", dataDir]);
    const openProject = async (name: string) => {
      await run("project", "create", "--name", name, "--plan", "custom");
      const { key } = await run("key", "create", "--project", name, "--permissions", permissions);
      await remember(server.url, String(key));
      return String(key);
    };
    const key = await openProject("streams");
    const otherKey = await openProject("others");

    const others = (lastSeconds: number) => measureOthers(server.url, otherKey, lastSeconds);
    await others(2);
    const idle = await others(Math.max(5, seconds / 6));
    const endAt = Date.now() + seconds * 1_000;
    const random = createRandom(seed);
    const streaming = streamAll({
      url: server.url,
      key,
      clients: streams,
      words,
      hangUpShare,
      random,
      isOver: () => Date.now() >= endAt,
    });
    const memory = sampleMemory(server.pid, endAt);
    const breaking = breakUpstream(seconds).then((restarted) => {
      upstream = restarted;
    });
    // Before the upstream is killed: what follows is a burst of requests.
    const busy = await others(seconds / 2);
    await breaking;
    const outcomes = await streaming;
    const resident = await memory;
    faults.push(...findMixed(outcomes), ...(await findWrongRecords(server.url, key, outcomes)));
    const growth =
      meanOf(resident.slice(-resident.length / 3)) -
      meanOf(resident.slice(resident.length / 3, (2 * resident.length) / 3));
    const isJudged = seconds >= judgedFromSeconds;
    if (isJudged && growth > growthMaxMiB)
      faults.push(`resident memory grew by ${growth.toFixed(0)} MiB in the last third`);
    if (isJudged && busy > slowestShare * idle)
      faults.push(
        `p99 of searches ${busy.toFixed(1)} ms, ${(busy / idle).toFixed(1)} times that of an idle server`,
      );
    await server.stop();
    if (/"level":"error"/.test(server.log()))
      faults.push(`the server has logged: ${server.log().slice(0, 500)}`);
    faults.push(...(await findVerdict(command, dataDir)), ...(await findSecondVerdict(dataDir)));
    const seen = [
      `${outcomes.length} streams, ${streams} at once: ${countEnds(outcomes)}`,
      `resident memory ${meanOf(resident.slice(-5)).toFixed(0)} MiB, ${growth.toFixed(0)} MiB more than before`,
      `p99 of searches ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms meanwhile`,
    ];
    return { seen: seen.join("; "), faults };
  } finally {
    await upstream.close();
    await server.kill();
  }

  /** In the middle of the time, for a second. All streams that it has break off. */
  async function breakUpstream(lastSeconds: number): Promise<FakeUpstream> {
    await Bun.sleep(lastSeconds * 500);
    await upstream.close();
    await Bun.sleep(1_000);
    return startSpeaking(port);
  }
}

async function startSpeaking(port: number): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(port);
  upstream.answerWith((request) => answerSpoken(request, pauseMs));
  return upstream;
}

async function runCommand(command: readonly string[]): Promise<JsonObject> {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "pipe" });
  const [output, log] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${log}`);
  return toObject(JSON.parse(output));
}

async function remember(url: string, key: string): Promise<void> {
  for (const [content, memory_type] of [
    ["Releases are on Tuesdays.", "fact"],
    ["Answer in one sentence.", "rule"],
  ]) {
    const response = await fetch(`${url}/v1/memories`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ content, memory_type }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

/** The p99 of searches by a client in a process of its own. */
async function measureOthers(url: string, key: string, seconds: number): Promise<number> {
  const calls = Array.from({ length: 500 }, (_, at) => ({
    method: "POST",
    path: "/v1/memories/search",
    body: { query: `When does release ${at} go out?`, top_k: 5 },
  }));
  const stream = { name: "searches", clients: 4, key, calls, repeat: true, everyMs: 25 };
  const [result] = await startLoad({ port: Number(new URL(url).port), seconds, streams: [stream] });
  if (result === undefined || result.statuses[200] !== result.calls)
    throw new Error(`searches failed: ${JSON.stringify(result?.statuses)}`);
  return percentile(result.latenciesMs, 0.99);
}

async function sampleMemory(pid: number, endAt: number): Promise<readonly number[]> {
  const samples: number[] = [];
  while (Date.now() < endAt) {
    await Bun.sleep(1_000);
    const usage = readUsage(pid);
    if (usage !== null) samples.push(usage.residentMiB);
  }
  return samples;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** What a client heard must be what its upstream said, from the beginning. */
function findMixed(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ id, text, heard, end, status, record }) => {
    if (end === "refused") return status === 502 ? [] : [`${id} was refused with ${status}: ${heard}`];
    const whole = end === "complete" ? heard === text : text.startsWith(heard);
    return whole && record !== null ? [] : [`${id} (${end}) heard something else than was said`];
  });
}

async function findWrongRecords(url: string, key: string, outcomes: readonly Outcome[]): Promise<string[]> {
  const faults: string[] = [];
  const ids = new Set(outcomes.map(({ record }) => record));
  if (ids.size !== outcomes.length) faults.push(`${outcomes.length} requests have ${ids.size} records`);
  for (const outcome of outcomes) {
    const response = await fetch(`${url}/v1/audit/logs/${outcome.record}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data } = toObject(JSON.parse(await response.text()));
    const fault = findWrongRecord(outcome, toObject(data ?? null));
    if (fault !== null) faults.push(`${outcome.id} (${outcome.end}): ${fault}`);
  }
  return faults;
}

function findWrongRecord({ text, heard, end }: Outcome, record: JsonObject): string | null {
  const { http_status: status, performed } = record;
  if (performed !== true) return "its record does not say that the server has performed it";
  const output = toObject(record.output_content ?? {});
  const recorded = typeof output.text === "string" ? output.text : "";
  if (end === "refused") return status === 502 ? null : `its record has the status ${status}`;
  if (end === "complete") return recorded === text && status === 200 ? null : "its record has another answer";
  if (!text.startsWith(recorded)) return "its record has words that nobody has said";
  if (!recorded.startsWith(heard)) return "its record has less than the client has heard";
  // The end, or the end of the connection, may have been on its way when the client hung up.
  const expected = end === "hung up" ? [499, 200, 502] : [502];
  return expected.includes(Number(status)) ? null : `its record has the status ${status}`;
}

function countEnds(outcomes: readonly Outcome[]): string {
  const ends = ["complete", "hung up", "broken", "refused"] as const;
  return ends.map((end) => `${outcomes.filter((each) => each.end === end).length} ${end}`).join(", ");
}

function toObject(value: Json): JsonObject {
  return isObject(value) ? value : {};
}
