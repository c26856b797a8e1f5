// Owns the comparison of a recording with the one that was kept, and what expected-changes allows. A line of that file is one of
//   HTTP API / memory.create: the reason         every difference of this section
//   "former text" -> "new text": the reason      this difference of a line, in every section
// Empty lines and lines that begin with # are ignored.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Sections = ReadonlyMap<string, string>;

export interface ExpectedChanges {
  /** Names of sections. */
  readonly sections: ReadonlySet<string>;
  readonly texts: readonly (readonly [former: string, now: string])[];
}

/** @throws Error that names a line without a reason */
export function parseExpectedChanges(text: string): ExpectedChanges {
  const sections = new Set<string>();
  const texts: [string, string][] = [];
  for (const line of text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"))) {
    const [, former, now] = /^("(?:[^"\\]|\\.)*") -> ("(?:[^"\\]|\\.)*"): \S/.exec(line) ?? [];
    const [, section] = /^([^":]+ \/ [^:]+): \S/.exec(line) ?? [];
    if (former !== undefined && now !== undefined) texts.push([JSON.parse(former), JSON.parse(now)]);
    else if (section !== undefined) sections.add(section);
    else throw new Error(`expected-changes has a line of no known form, or without a reason: ${line}`);
  }
  return { sections, texts };
}

/** The differences that are not expected, as text for a person. */
export function compare(name: string, kept: Sections, now: Sections, expected: ExpectedChanges): string[] {
  return [...new Set([...kept.keys(), ...now.keys()])].flatMap((operation) => {
    const title = `${name} / ${operation}`;
    const [before, after] = [kept.get(operation) ?? "", now.get(operation) ?? ""];
    if (before === after || expected.sections.has(title) || isExpected(before, after, expected)) return [];
    return [`${title}\n${unified(before, after)}`];
  });
}

function isExpected(before: string, after: string, { texts }: ExpectedChanges): boolean {
  const [former, now] = [before.split("\n"), after.split("\n")];
  const replaced = (line: string) => texts.reduce((left, [from, to]) => left.replaceAll(from, to), line);
  return (
    former.length === now.length && former.every((line, at) => line === now[at] || replaced(line) === now[at])
  );
}

function unified(before: string, after: string): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-behaviour-"));
  try {
    writeFileSync(join(folder, "recorded"), before);
    writeFileSync(join(folder, "now"), after);
    const words = ["git", "diff", "--no-index", "--no-color", "--unified=4", "recorded", "now"];
    const text = Bun.spawnSync(words, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "" },
    }).stdout.toString();
    return text.slice(text.indexOf("\n@@") + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const opening = "\n\n## ";

export function printSections(name: string, sections: Sections): string {
  const texts = [...sections].map(([operation, text]) => `${opening}${operation}\n\n${text}`);
  return `# ${name}, as test/behaviour/record.ts observed it${texts.join("")}`;
}

export function parseSections(text: string): Sections {
  const [, ...sections] = text.split(opening);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf("\n\n");
      return [section.slice(0, end), section.slice(end + 2)];
    }),
  );
}
