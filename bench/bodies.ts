// What it costs to read a body as it is written: the scanner in front of JSON.parse, compared with JSON.parse alone.

import { parseJson } from "../src/platform/json/json-text.ts";
import { jsonMaxValues } from "../src/platform/limits.ts";
import { median } from "./figures.ts";
import { type BenchOptions, progress, type Table } from "./harness.ts";

const spanMs = 50;

/** Bodies of different make, all within the limits. */
function bodies(): ReadonlyMap<string, string> {
  const half = jsonMaxValues / 2;
  const numbers = Array.from({ length: half }, (_, index) => Math.sin(index));
  const records = Array.from({ length: half / 10 }, (_, id) => ({
    id,
    name: `n${id}`,
    score: Math.cos(id),
    tags: ["a", "b"],
  }));
  const names = Object.fromEntries(numbers.map((value, index) => [`name${index}`, value > 0]));
  return new Map([
    [
      "a fact of one sentence",
      JSON.stringify({ content: "Releases go out on Tuesdays, never on Fridays.", memory_type: "fact" }),
    ],
    [
      "an extraction of 50,000 characters",
      JSON.stringify({ text: 'Ana: "Ship it on Tuesday."\n'.repeat(1_850) }),
    ],
    ["a record with 25,000 numbers", JSON.stringify({ values: numbers })],
    ["a record with 5,000 small objects", JSON.stringify({ records })],
    ["a record with 25,000 names in one object", JSON.stringify(names)],
  ]);
}

export async function bodyReading({ rounds }: BenchOptions): Promise<readonly Table[]> {
  const rows = [...bodies()].map(([what, text]) => {
    progress(`bodies: ${what}`);
    const kibibytes = Buffer.byteLength(text) / 1024;
    const alone = measure(rounds, () => JSON.parse(text));
    const both = measure(rounds, () => parseJson(text));
    return [
      what,
      kibibytes.toFixed(1),
      (alone / kibibytes).toFixed(2),
      (both / kibibytes).toFixed(2),
      (both / 1_000).toFixed(2),
    ];
  });
  return [
    {
      title: "Reading bodies",
      note: `Microseconds per KiB; medians of ${rounds} rounds of ${spanMs} ms in one thread. The scanner bounds levels and values and finds names that appear twice and numbers that a double cannot hold.`,
      columns: ["body", "KiB", "JSON.parse", "scanner and JSON.parse", "ms in all"],
      rows,
    },
  ];
}

/** Microseconds of one run. */
function measure(rounds: number, work: () => unknown): number {
  const run = () => {
    const began = performance.now();
    let runs = 0;
    for (; performance.now() - began < spanMs; runs++) work();
    return ((performance.now() - began) * 1_000) / runs;
  };
  run();
  return median(Array.from({ length: rounds }, run));
}
