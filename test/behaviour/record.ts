// Records what the product does, seen from outside, over every transport and the command line, and compares it with what was recorded
// before: bun run behaviour [--write] [EXECUTABLE]. With --write, the recording replaces the one that was kept. Commands are run from
// source, or with the executable.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compare, parseExpectedChanges, parseSections, printSections } from "./difference.ts";
import type { Recording } from "./recording.ts";

const words = process.argv.slice(2);
const executable = words.find((word) => !word.startsWith("--"));
// Of test/cli/command.ts, which is loaded afterwards.
if (executable !== undefined) process.env.MEMLEDGER_TEST_EXECUTABLE = resolve(executable);

const folder = import.meta.dir;
const expected = parseExpectedChanges(readFileSync(join(folder, "expected-changes"), "utf8"));

const recordings: readonly (readonly [name: string, file: string, record: () => Promise<Recording>])[] = [
  ["HTTP API", "http", async () => (await import("./api.ts")).recordHttp()],
  ["local socket", "local-socket", async () => (await import("./api.ts")).recordLocalSocket()],
  ["console", "console", async () => (await import("./api.ts")).recordConsole()],
  ["MCP", "mcp", async () => (await import("./mcp.ts")).recordMcp()],
  ["gateway", "gateway", async () => (await import("./gateway.ts")).recordGateway()],
  ["commands", "commands", async () => (await import("./commands.ts")).recordCommands()],
  ["documents", "documents", async () => (await import("./documents.ts")).recordDocuments()],
];

const only = process.env.MEMLEDGER_BEHAVIOUR?.split(",");
const differences: string[] = [];
for (const [name, file, record] of recordings) {
  if (only !== undefined && !only.includes(file)) continue;
  const startedAt = performance.now();
  const sections = (await record()).sections();
  const path = join(folder, "recorded", `${file}.txt`);
  const isKept = existsSync(path) && !words.includes("--write");
  if (!isKept) writeFileSync(path, printSections(name, sections));
  const found = isKept ? compare(name, parseSections(readFileSync(path, "utf8")), sections, expected) : [];
  differences.push(...found);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const outcome = isKept ? `${found.length} differences` : "written";
  process.stdout.write(`${name}: ${sections.size} operations, ${outcome}, ${seconds} s\n`);
}
for (const difference of differences) process.stdout.write(`\n${difference}\n`);
if (differences.length > 0) {
  process.stdout.write(
    `\n${differences.length} differences are not listed in test/behaviour/expected-changes. Add each with its reason, or undo it.\n`,
  );
}
process.exit(differences.length > 0 ? 1 : 0);
