// Owns the text that Prometheus reads, and the library that prints it. No other file imports prom-client. Its own metrics of the process
// are not used: under Bun, most of them are always 0.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { createTurns } from "../../platform/scheduling/turns.ts";
import type { Facts } from "./facts.ts";
import type { DistributionSample, Family, HistogramFamily, SingleFamily } from "./family.ts";

export interface Exposition {
  readonly contentType: string;
  /** Each metric is printed in a turn of the event loop of its own, so that calls do not wait for all of them. One text at a time. */
  print(facts: Facts): Promise<string>;
}

export function createExposition(families: readonly Family[]): Exposition {
  const registry = new Registry();
  const nextTurn = createTurns();
  let current: Facts | null = null;
  const read = <Sample>(of: (facts: Facts) => readonly Sample[]): readonly Sample[] =>
    current === null ? [] : of(current);
  for (const family of families) {
    if (family.type === "histogram") new CountedHistogram(family, registry, () => read(family.read));
    else addSingle(family, registry, () => read(family.read));
  }
  return {
    contentType: registry.contentType,
    async print(facts) {
      current = facts;
      const texts: string[] = [];
      for (const { name } of families) {
        texts.push(await registry.getSingleMetricAsString(name));
        await nextTurn();
      }
      return `${texts.join("\n\n")}\n`;
    },
  };
}

type Read<Of extends Family> = () => ReturnType<Of["read"]>;

/** The values are counted elsewhere, so each scrape sets all of them. */
function addSingle(
  { name, help, labels = [], type }: SingleFamily,
  registry: Registry,
  read: Read<SingleFamily>,
): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === "counter") {
    const counter = new Counter({
      ...options,
      collect() {
        counter.reset();
        // An empty metric without labels would be 0 after a reset.
        if (labels.length === 0) counter.remove();
        for (const { labels: values = {}, value } of read()) counter.inc(values, value);
      },
    });
    return;
  }
  const gauge = new Gauge({
    ...options,
    collect() {
      gauge.reset();
      if (labels.length === 0) gauge.remove();
      for (const { labels: values = {}, value } of read()) gauge.set(values, value);
    },
  });
}

interface PrintedValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The library counts values itself; here they are counted where they are known, and only printed. */
class CountedHistogram extends Histogram {
  readonly #family: HistogramFamily;
  readonly #read: Read<HistogramFamily>;

  constructor(family: HistogramFamily, registry: Registry, read: Read<HistogramFamily>) {
    const { name, help, labels = [], bounds } = family;
    super({ name, help, labelNames: [...labels], buckets: [...bounds], registers: [registry] });
    this.#family = family;
    this.#read = read;
  }

  /** What the registry prints. It is no part of the types of the library; a test of the printed text fails if it is not used any more. */
  async getForPromString() {
    const { name, help, type } = this.#family;
    return { name, help, type, values: this.#read().flatMap((sample) => this.#valuesOf(sample)) };
  }

  #valuesOf({ labels = {}, state: { counts, sum } }: DistributionSample): PrintedValue[] {
    const { name, bounds } = this.#family;
    const values: PrintedValue[] = [];
    let total = 0;
    for (const [at, count] of counts.entries()) {
      total += count;
      const le = bounds[at] ?? "+Inf";
      values.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: total });
    }
    values.push({ metricName: `${name}_sum`, labels, value: sum });
    values.push({ metricName: `${name}_count`, labels, value: total });
    return values;
  }
}
