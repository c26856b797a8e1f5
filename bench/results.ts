// Owns bench/RESULTS.md: the last run of each bench, each with where and when it ran. Must never mix two runs in one section.

import { existsSync, readFileSync, writeFileSync } from "node:fs";

export const introduction = `# Results

Written by \`bun run bench --write\`; do not edit. Each section is one run of one bench; its first line tells which commit ran where.
The machines had other work, and not all are alike: trust the ratios within a table more than the absolute times. A percentile is
printed only where at least ten calls were slower.
The server is the executable as users get it, alone in an empty folder, called over HTTP keep-alive by a process of its own.
`;

const mark = (name: string) => `<!-- ${name} -->`;

/** Replaces the sections of the benches that ran and keeps the others, in the order of `names`. */
export function writeResults(file: string, names: readonly string[], ran: ReadonlyMap<string, string>): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const sections = names.flatMap((name) => ran.get(name) ?? sectionOf(before, name) ?? []);
  writeFileSync(file, [introduction, ...sections].join("\n"));
}

/** A bench's tables under the line that says where they come from. */
export function toSection(name: string, provenance: string, tables: readonly string[]): string {
  return [mark(name), `*${provenance}*\n`, ...tables].join("\n");
}

function sectionOf(text: string, name: string): string | undefined {
  const [, after] = text.split(`${mark(name)}\n`);
  if (after === undefined) return undefined;
  const end = after.search(/^<!-- \w+ -->$/m);
  return `${mark(name)}\n${end < 0 ? after : after.slice(0, end).replace(/\n$/, "")}`;
}
