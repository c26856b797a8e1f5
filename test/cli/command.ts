// Runs the real command line in child processes, each test in a folder of its own. Must never end a process it did not start.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { main } from "../program.ts";

/** From source, or the executable that the variable names. */
const { MEMLEDGER_TEST_EXECUTABLE: executable } = process.env;
const program = executable === undefined ? [process.execPath, main] : [executable];

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  /** Sends a signal and waits for nothing. */
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** The ready line, parsed. */
  readonly ready: JsonObject;
  readonly url: string;
  /** Sends the signal and waits for the end; everything printed after the ready line is in `stdout`. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL"): Promise<Outcome>;
}

const started = new Set<Bun.Subprocess>();
const folders: string[] = [];

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-cli-"));
  folders.push(folder);
  return folder;
}

/** Ends what a failed test left running and removes all folders. */
export async function cleanUp(): Promise<void> {
  for (const child of started) child.kill("SIGKILL");
  await Promise.all([...started].map((child) => child.exited));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export type Variables = Readonly<Record<string, string>>;

/** `input` is what the command reads from stdin. */
export function spawn(
  words: readonly string[],
  variables: Variables = {},
  input: Uint8Array | ReadableStream<Uint8Array> | null = null,
) {
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...variables },
    stdin: input ?? "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  started.add(child);
  void child.exited.then(() => started.delete(child));
  return child;
}

export async function run(
  words: readonly string[],
  variables: Variables = {},
  input: Uint8Array | null = null,
): Promise<Outcome> {
  const child = spawn(words, variables, input);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}

/** Runs a command with --json and parses its one line. Throws when there is another number of lines. */
export async function runJson(
  words: readonly string[],
  variables: Variables = {},
): Promise<Outcome & { readonly json: Json; readonly object: JsonObject }> {
  const outcome = await run([...words, "--json"], variables);
  const lines = outcome.stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") {
    throw new Error(`not exactly one line: ${JSON.stringify(outcome)}`);
  }
  const json: Json = JSON.parse(lines[0] ?? "");
  return { ...outcome, json, object: isObject(json) ? json : {} };
}

/** Starts `serve --port 0 --json` and waits for its ready line; only warnings and errors are logged. */
export async function serve(
  dataDir: string,
  words: readonly string[] = [],
  variables: Variables = {},
): Promise<Running> {
  const quiet = ["--port", "0", "--json", "--log-level", "warn"];
  const child = spawn(["serve", ...quiet, "--data-dir", dataDir, ...words], variables);
  const stderr = child.stderr.text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stdout = "";
  while (!stdout.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server did not start: ${stdout} ${await stderr}`);
    stdout += value;
  }
  const [line = "", ...rest] = stdout.split("\n");
  const ready: Json = JSON.parse(line);
  if (!isObject(ready)) throw new Error(`no ready line: ${line}`);
  return {
    pid: child.pid,
    ready,
    url: String(ready.url),
    signal: (name) => child.kill(name),
    async end(signal) {
      child.kill(signal);
      let after = rest.join("\n");
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        after += value;
      }
      return { exitCode: await child.exited, stdout: after, stderr: await stderr };
    },
  };
}

/** Sends one call with a key. */
export function call(url: string, key: unknown, path = "/v1/memories", init: RequestInit = {}) {
  return fetch(`${url}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });
}

export function createFact(url: string, key: unknown, content: string): Promise<Response> {
  const body = JSON.stringify({ content, memory_type: "fact" });
  return call(url, key, "/v1/memories", { method: "POST", body });
}
