// Owns the calls of the scale benchmark: different questions in every call, so that no embedding is repeated. Must never send a query twice.

import { median, percentile } from "./figures.ts";
import { loadOne } from "./harness.ts";
import type { PlannedCall, Stream, StreamResult } from "./load-generator.ts";
import { scaleQuestion } from "./scale-fill.ts";
import { createRandom } from "./texts.ts";

export type Mode = "semantic" | "hybrid";

const random = createRandom(13);
let asked = 0;

export function searchCall(mode: Mode = "semantic", headers?: Readonly<Record<string, string>>): PlannedCall {
  // Without reranking, which does not depend on the number of memories.
  const body = { query: scaleQuestion(random, asked++), mode, rerank: "off" };
  return {
    method: "POST",
    path: "/v1/memories/search",
    body,
    ...(headers === undefined ? null : { headers }),
  };
}

/** More than any server answers in that time. */
const callsPerSecondMax = 2_000;

export function searches(seconds: number, mode: Mode = "semantic"): PlannedCall[] {
  return Array.from({ length: Math.ceil(callsPerSecondMax * seconds) }, () => searchCall(mode));
}

/** Searches of so many clients, each of which sends its next one when the last one is answered. */
export function loadSearches(
  port: number,
  seconds: number,
  options: { readonly key: string; readonly clients?: number; readonly mode?: Mode },
): Promise<StreamResult> {
  const { key, clients = 1, mode = "semantic" } = options;
  const stream: Stream = {
    name: `${mode} searches`,
    clients,
    key,
    repeat: false,
    calls: searches(seconds, mode),
  };
  return loadOne(port, seconds, stream, 200);
}

/** Milliseconds of one search. */
export async function searchOnce(port: number, key: string): Promise<number> {
  const stream: Stream = { name: "one search", clients: 1, key, repeat: false, calls: [searchCall()] };
  return p50([await loadOne(port, 600, stream, 200)]);
}

/** Calls at a steady pace, however long the answers take: enough clients that one is free. */
export function steady(name: string, key: string, everyMs: number, calls: readonly PlannedCall[]): Stream {
  return { name, clients: 16, key, repeat: true, everyMs, calls };
}

/** The median of the medians of some rounds. */
export function p50(rounds: readonly StreamResult[]): number {
  return median(rounds.map(({ latenciesMs }) => percentile(latenciesMs, 0.5)));
}

export function rateOf(rounds: readonly StreamResult[]): number {
  return median(rounds.map(({ calls, seconds }) => calls / seconds));
}

export const count = (value: number) => value.toLocaleString("en");
