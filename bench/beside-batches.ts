// How long the calls of one project wait while clients of another one send the largest batches without pause.

import { median, ms } from "./figures.ts";
import type { FilledProject } from "./fill.ts";
import { type BenchOptions, type Measure, progress, type Server, startLoad } from "./harness.ts";
import type { Stream, StreamResult } from "./load-generator.ts";
import { tailOf } from "./tail.ts";
import { createRandom, sentence } from "./texts.ts";

const clients = 8;
const batchItems = 1_000;
/** More than can be stored meanwhile. */
const batchesPerSecond = 20;
const everyMs = 20;
const ratioMax = 10;

/** One client reads and creates at a steady pace in `other`, alone and beside eight that send batches in `sender`. */
export async function callsBesideBatches(
  { port }: Server,
  other: FilledProject,
  sender: FilledProject,
  { seconds, rounds }: BenchOptions,
): Promise<Measure[]> {
  const random = createRandom(6);
  const idle: (readonly StreamResult[])[] = [];
  const busy: (readonly StreamResult[])[] = [];
  let batches = 0;
  for (let round = 0; round <= rounds; round++) {
    progress(`latency: another project beside batches, round ${round + 1}`);
    const probes = (name: string): Stream[] => [
      steady("read by id", other.key, (number) => ({
        method: "GET",
        path: `/v1/memories/${other.ids[number % other.ids.length]}`,
      })),
      steady("create", other.key, (number) => ({
        method: "POST",
        path: "/v1/memories",
        body: { content: `${name} ${round} ${sentence(random, number)}`, memory_type: "fact" },
      })),
    ];
    const steady = (
      name: string,
      key: string,
      call: (number: number) => Stream["calls"][number],
    ): Stream => ({
      name,
      clients: 16,
      key,
      repeat: false,
      everyMs,
      calls: Array.from({ length: (seconds * 1_000) / everyMs }, (_, number) => call(number)),
    });
    const work: Stream = {
      name: "batches",
      clients,
      key: sender.key,
      repeat: false,
      calls: Array.from({ length: batchesPerSecond * seconds }, (_, batch) => ({
        method: "POST",
        path: "/v1/memories/batch",
        body: {
          memories: Array.from({ length: batchItems }, (_, item) => ({
            content: `${round} ${sentence(random, batch * batchItems + item)}`,
            memory_type: "fact",
          })),
        },
      })),
    };
    const alone = await startLoad({ port, seconds, streams: probes("alone") });
    const beside = await startLoad({ port, seconds, streams: [...probes("beside"), work] });
    if (round === 0) continue; // warm-up
    idle.push(alone);
    busy.push(beside);
    batches += beside[2]?.calls ?? 0;
  }
  const rate = ((batches * batchItems) / (rounds * seconds)).toFixed(0);
  return ["read by id", "create"].map((name, stream) => {
    const [alone, beside] = [idle, busy].map((all) => all.flatMap((results) => results[stream] ?? []));
    const { name: tail, values } = tailOf(alone ?? [], beside ?? []);
    const [idleTail = 0, busyTail = 0] = values;
    const p50 = (results: readonly StreamResult[] = []) =>
      median(results.flatMap(({ latenciesMs }) => latenciesMs));
    return {
      what: `${name}, ${tail} beside ${clients} clients of another project that store ${rate} memories/s in batches of ${batchItems} (p50 ${ms(p50(beside))})`,
      figure: ms(busyTail),
      comparedTo: `idle ${tail} ${ms(idleTail)} (p50 ${ms(p50(alone))}), ratio ${(busyTail / idleTail).toFixed(1)}`,
      bar: `ratio < ${ratioMax}`,
      reached: busyTail < ratioMax * idleTail,
    };
  });
}
