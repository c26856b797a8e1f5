// What the gateway costs: the same stream directly from an upstream and through the gateway, by turns, in the same run.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventStream, type FakeUpstream, startFakeUpstream } from "../test/gateway/fake-upstream.ts";
import { chatEvents } from "../test/gateway/upstream-shapes.ts";
import { median, ms, percentile } from "./figures.ts";
import { fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { createRandom, question } from "./texts.ts";
import { callsPerTurn, turns, uncachedBytes } from "./uncached.ts";

const memories = 10_000;
const streamsPerRound = 60;
const others = 100;
/** Of a first byte, more than the upstream and the injection take. */
const firstByteMaxMs = 3;
/** Of the uncached bytes without memory: what the sections of all turns take once. */
const uncachedMaxPercent = 113;

/** A way to the same stream. */
interface Way {
  readonly name: "direct" | "off" | "memory";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Times {
  readonly firstByteMs: number[];
  readonly totalMs: number[];
}

export async function gateway(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [project] = await fill(dataDir, [memories]);
  if (project === undefined) throw new Error("Nothing was filled.");
  await using upstream = await startFakeUpstream();
  const quick = chatEvents("m", "On Tuesdays. ".repeat(100), false);
  upstream.answerWith(({ headers }) => {
    return {
      headers: eventStream,
      body: quick,
      ...(headers["x-slow"] === undefined ? {} : { pauseMs: 100 }),
    };
  });
  const table = `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmemory-floor = 0\nmemory-deadline-ms = 5000\nask-for-usage = false\n`;
  writeFileSync(join(dataDir, "memledger.toml"), table);
  await using server = await startServer(executable, dataDir);
  const own = `http://127.0.0.1:${server.port}`;
  const authorization = { Authorization: `Bearer ${project.key}` };
  const ways: readonly Way[] = [
    { name: "direct", url: upstream.origin, headers: {} },
    { name: "off", url: own, headers: { ...authorization, "Memledger-Memory": "off" } },
    { name: "memory", url: own, headers: authorization },
  ];
  const measures: Measure[] = [...(await compareUncached(ways, upstream))];
  for (const isBusy of [false, true]) {
    const stop = new AbortController();
    const streaming = isBusy ? keepStreaming(ways[2], stop.signal) : Promise.resolve();
    measures.push(...(await compareWays(ways, `${own}/v1/memories/inject`, isBusy, options)));
    stop.abort();
    await streaming;
  }
  const note = `One client has a stream of ${quick.length} events from an upstream on the same machine, that sends all of them at once: directly, through the gateway without memory, and through it with the rules and facts of ${count(memories)} memories; by turns. The first byte through the gateway waits for the record of the injection. Busy: ${others} other clients have streams of some seconds through the gateway at the same time. Uncached bytes: those of each request behind the longest beginning that an earlier request of the same conversation had, which is what a provider with a prompt cache charges in full.`;
  return [measureTable("Gateway", note, measures)];
}

/** Of a conversation of an agent. */
async function compareUncached(ways: readonly Way[], upstream: FakeUpstream): Promise<Measure[]> {
  const [, off, memory] = ways;
  if (off === undefined || memory === undefined) throw new Error("There are three ways.");
  progress("gateway: uncached bytes");
  const without = await uncachedBytes(off, upstream);
  const withMemory = await uncachedBytes(memory, upstream);
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1_000)} KB`;
  return [
    {
      what: `uncached bytes of ${turns} turns with ${callsPerTurn} tool calls each, with memory`,
      figure: kilobytes(withMemory),
      comparedTo: `without memory: ${kilobytes(without)}`,
      bar: `at most ${uncachedMaxPercent} %`,
      reached: withMemory * 100 <= without * uncachedMaxPercent,
    },
  ];
}

async function compareWays(
  ways: readonly Way[],
  injectUrl: string,
  isBusy: boolean,
  { rounds }: BenchOptions,
): Promise<Measure[]> {
  const random = createRandom(7);
  const times = new Map(ways.map(({ name }) => [name, { firstByteMs: [], totalMs: [] } as Times]));
  const injectMs: number[] = [];
  const headers = ways[2]?.headers ?? {};
  for (let round = 0; round <= rounds; round++) {
    progress(`gateway: ${isBusy ? "busy" : "idle"}, round ${round + 1}`);
    for (let at = 0; at < streamsPerRound; at++) {
      // The first round only warms up.
      const isCounted = round > 0;
      for (const way of ways) {
        const { firstByteMs, totalMs } = await stream(way, question(random, at));
        if (!isCounted) continue;
        times.get(way.name)?.firstByteMs.push(firstByteMs);
        times.get(way.name)?.totalMs.push(totalMs);
      }
      const begun = performance.now();
      const body = JSON.stringify({ query: question(random, at), min_similarity: 0 });
      const answer = await fetch(injectUrl, { method: "POST", headers: { ...headers, ...json }, body });
      await answer.text();
      if (isCounted) injectMs.push(performance.now() - begun);
    }
  }
  const of = (name: Way["name"]): Times => times.get(name) ?? { firstByteMs: [], totalMs: [] };
  const [direct, off, memory] = [of("direct"), of("off"), of("memory")];
  const state = isBusy ? "busy" : "idle";
  const inject = median(injectMs);
  const first = (each: Times) => median(each.firstByteMs);
  const bar = isBusy ? "" : `at most ${firstByteMaxMs} ms more`;
  const reached = (more: number) => (isBusy ? null : more <= firstByteMaxMs);
  const compared = (each: Times, others: string) => `direct: ${ms(first(each))}${others}`;
  return [
    {
      what: `first byte without memory, ${state}`,
      figure: ms(first(off)),
      comparedTo: compared(direct, ""),
      bar,
      reached: reached(first(off) - first(direct)),
    },
    {
      what: `first byte with memory, ${state}`,
      figure: ms(first(memory)),
      comparedTo: compared(direct, `, an injection: ${ms(inject)}`),
      bar,
      reached: reached(first(memory) - first(direct) - inject),
    },
    ...(
      [
        ["without", off],
        ["with", memory],
      ] as const
    ).flatMap(([name, each]) => [
      {
        what: `whole stream ${name} memory, ${state}`,
        figure: ms(median(each.totalMs)),
        comparedTo: `direct: ${ms(median(direct.totalMs))}`,
        bar: "",
        reached: null,
      },
      {
        what: `whole stream ${name} memory, ${state}, p95`,
        figure: ms(slowest(each)),
        comparedTo: `direct: ${ms(slowest(direct))}`,
        bar: "",
        reached: null,
      },
    ]),
  ];
}

function slowest({ totalMs }: Times): number {
  return percentile(
    totalMs.toSorted((a, b) => a - b),
    0.95,
  );
}

const json = { "Content-Type": "application/json" };

async function stream(
  { url, headers }: Way,
  asked: string,
): Promise<{ firstByteMs: number; totalMs: number }> {
  const begun = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: asked }] }),
  });
  let firstByteMs: number | null = null;
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    firstByteMs ??= performance.now() - begun;
    text += decoder.decode(bytes, { stream: true });
  }
  if (firstByteMs === null || !text.endsWith("data: [DONE]\n\n"))
    throw new Error(`A stream has no end: ${response.status} ${text.slice(0, 300)}`);
  return { firstByteMs, totalMs: performance.now() - begun };
}

/** Other clients, each with one slow stream after another. */
async function keepStreaming(way: Way | undefined, signal: AbortSignal): Promise<void> {
  if (way === undefined) return;
  const random = createRandom(8);
  const slow = { ...way, headers: { ...way.headers, "X-Slow": "1" } };
  const run = async (client: number) => {
    await Bun.sleep((client * 3_000) / others);
    for (let turn = 0; !signal.aborted; turn++) await stream(slow, question(random, turn));
  };
  await Promise.all(Array.from({ length: others }, (_, client) => run(client)));
}

function count(value: number): string {
  return value.toLocaleString("en");
}
