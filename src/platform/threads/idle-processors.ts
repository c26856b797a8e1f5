// Owns how many processors of the machine nobody uses. Must never be asked often: the system adds up these times in steps of 10 ms.

import { cpus } from "node:os";

type ProcessorTimes = readonly Readonly<{ times: Readonly<Record<string, number>> }>[];

/**
 * Each call returns how many processors were idle since the call before, with a fraction. Infinity where the system does not tell it, such
 * as in a sandbox.
 */
export function createIdleProcessors(read: () => ProcessorTimes = cpus): () => number {
  let before = total(read());
  return () => {
    const now = total(read());
    const [idle, all] = [now.idle - before.idle, now.all - before.all];
    before = now;
    return all > 0 ? (now.processors * idle) / all : Number.POSITIVE_INFINITY;
  };
}

function total(processors: ProcessorTimes) {
  const sum = { idle: 0, all: 0, processors: processors.length };
  for (const { times } of processors) {
    sum.idle += times.idle ?? 0;
    for (const time of Object.values(times)) sum.all += time;
  }
  return sum;
}
