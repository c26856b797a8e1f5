// What all benches share: the executable as a child process, the load generator, figures and tables. Must never leave a
// child process or a temporary folder behind.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { LoadPlan, StreamResult } from "./load-generator.ts";

export interface BenchOptions {
  readonly executable: string;
  /** Another executable whose reads are compared, or the output of an earlier run of retrieval; null: none. */
  readonly against: string | null;
  /** Model directories to compare with the embedded one. */
  readonly models: readonly string[];
  /** LoCoMo files. */
  readonly datasets: readonly string[];
  /** Names of the sets that retrieval asks; null: all. */
  readonly sets: readonly string[] | null;
  /** Where retrieval writes its ranks; null: nowhere. */
  readonly output: string | null;
  /** An STS benchmark file: sentence, sentence, score. */
  readonly sts: string | null;
  /** English, translation, source, tab-separated. */
  readonly translations: string | null;
  /** Pairs with labels, tab-separated. */
  readonly pairs: string | null;
  /** How long each load lasts. */
  readonly seconds: number;
  /** How often a load or a start is repeated; medians are printed. */
  readonly rounds: number;
  /** How many records the ledger has. */
  readonly records: number;
  /** How many memories are imported, and how many those of subjects are. */
  readonly memories: number;
  /** Memories of the projects that scale compares, ascending. */
  readonly sizes: readonly number[];
  /** Where scale keeps its filled data directories; null: they are temporary. */
  readonly directory: string | null;
}

export interface Table {
  readonly title: string;
  /** What was done, and what has to be known to trust the figures. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type Bench = (options: BenchOptions) => Promise<readonly Table[]>;

/** A figure with what it is compared to in the same run, and the bar of the product. */
export interface Measure {
  readonly what: string;
  readonly figure: string;
  readonly comparedTo: string;
  readonly bar: string;
  /** Null where there is no bar. */
  readonly reached: boolean | null;
}

export function measureTable(title: string, note: string, measures: readonly Measure[]): Table {
  const columns = ["measure", "figure", "in the same run", "bar", "reached"];
  const rows = measures.map(({ what, figure, comparedTo, bar, reached }) => [
    ...[what, figure, comparedTo, bar],
    reached === null ? "" : reached ? "yes" : "**no**",
  ]);
  return { title, note, columns, rows };
}

export function toMarkdown({ title, note, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [line(columns), line(columns.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(line)];
  return `## ${title}\n\n${note}\n\n${table.join("\n")}\n`;
}

/** Tells on stderr what is being done, since a bench takes minutes. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

// Folders and processes

const children = new Set<Subprocess>();
const folders = new Set<string>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) remove(folder);
});
// Without a listener a signal ends the process before "exit".
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

/** An empty folder, removed at the end of the scope. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "memledger-bench-"));
  folders.add(path);
  return { path, [Symbol.dispose]: () => remove(path) };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Copies the executable alone into a folder, so that nothing beside it can help. */
export function copyAlone(executable: string, folder: string): string {
  if (!existsSync(executable))
    throw new Error(`There is no executable at ${executable}. Make it with: bun run build`);
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, "memledger");
  copyFileSync(executable, copy);
  return copy;
}

/** Runs one command of the executable and returns its line of JSON. */
export async function runCommand(executable: string, ...words: readonly string[]): Promise<unknown> {
  const child = spawn([executable, ...words, "--json"]);
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`memledger ${words.join(" ")} failed: ${output}`);
  return JSON.parse(output);
}

function spawn(command: string[]) {
  const child = Bun.spawn(command, {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, MEMLEDGER_LOG_LEVEL: "error" },
  });
  children.add(child);
  child.exited.then(() => children.delete(child));
  return child;
}

/** A server writes files of its search indexes before it ends. */
const endLimitMs = 60_000;

export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to its ready line. */
  readonly readyMs: number;
  /** Of the first start in this data directory only. */
  readonly firstKey: string | null;
}

/** Starts `serve` on a free port and waits until it is ready. */
export async function startServer(
  executable: string,
  dataDir: string,
  ...flags: readonly string[]
): Promise<Server> {
  const start = performance.now();
  const child = spawn([executable, "serve", "--port", "0", "--json", "--data-dir", dataDir, ...flags]);
  const line = await firstLine(child.stdout);
  const readyMs = performance.now() - start;
  const ready = JSON.parse(line || "{}") as { url?: string; api_key?: string };
  if (ready.url === undefined) throw new Error(`The server did not start: ${line}`);
  return {
    port: Number(new URL(ready.url).port),
    pid: child.pid,
    readyMs,
    firstKey: ready.api_key ?? null,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await Promise.race([child.exited, Bun.sleep(endLimitMs)]);
      child.kill("SIGKILL");
    },
  };
}

/** Leaves the stream open: the server would notice that nobody listens any more. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

/** Processor time that a process has used, all its threads together; null where the system does not tell it. */
export function cpuMilliseconds(pid: number): number | null {
  if (process.platform !== "linux") return null;
  // The name of the program, in parentheses, may hold anything; proc(5) counts from 1, so 14 and 15 are the user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const [user, system] = [fields[11], fields[12]].map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}

/** Resident memory of a process. */
export async function residentMegabytes(pid: number): Promise<number> {
  const output = await new Response(spawn(["ps", "-o", "rss=", "-p", String(pid)]).stdout).text();
  return (Number(output) * 1_024) / 1e6;
}

/** Makes a project on the plan without limits and a key for it, through the command line. */
export async function createProject(
  executable: string,
  dataDir: string,
  name: string,
): Promise<{ readonly projectId: string; readonly keyId: string; readonly key: string }> {
  const where = ["--data-dir", dataDir];
  const project = await runCommand(
    executable,
    "project",
    "create",
    "--name",
    name,
    "--plan",
    "custom",
    ...where,
  );
  const granted = ["--permissions", "memory.read,memory.write,audit.write"];
  const key = await runCommand(executable, "key", "create", "--project", name, ...granted, ...where);
  const { id: projectId } = project as { id: string };
  const { id: keyId, key: secret } = key as { id: string; key: string };
  return { projectId, keyId, key: secret };
}

/** Runs the load generator in a process of its own until its plan is done. */
export async function startLoad(plan: LoadPlan): Promise<readonly StreamResult[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, "plan.json");
  writeFileSync(file, JSON.stringify(plan));
  const child = spawn([process.execPath, join(import.meta.dir, "load-generator.ts"), file]);
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("The load generator failed.");
  return JSON.parse(output) as StreamResult[];
}

/** A load of one stream. @throws Error when an answer was not the expected one. */
export async function loadOne(
  port: number,
  seconds: number,
  stream: LoadPlan["streams"][number],
  expected: number,
): Promise<StreamResult> {
  const [result] = await startLoad({ port, seconds, streams: [stream] });
  if (result === undefined) throw new Error("The load generator gave no result.");
  expectStatuses(result, expected);
  return result;
}

export function expectStatuses({ name, calls, statuses }: StreamResult, expected: number): void {
  if (statuses[expected] !== calls)
    throw new Error(`${name} expected ${expected} only, but got ${JSON.stringify(statuses)}`);
}
