// Owns the server processes of the crash proofs: starts the real program, from source or the executable, and ends it gently or not.
// Must never end a process that it did not start.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { main } from "../program.ts";

export interface Server {
  readonly url: string;
  /** Of the first start in a data directory only. */
  readonly apiKey: string | null;
  readonly projectId: string;
  /** Null unless metrics-port is set. */
  readonly metricsUrl: string | null;
  readonly pid: number;
  /** What it has written to stderr so far. */
  readonly log: () => string;
  readonly hasEnded: () => boolean;
  /** As a power switch would: no warning, nothing is finished. */
  kill(): Promise<void>;
  /** Asks it to end. @returns its exit code */
  stop(): Promise<number>;
}

export interface ServerOptions {
  readonly dataDir: string;
  /** The command of the program; default: `serve`. */
  readonly starts?: string;
  /** Words before it. */
  readonly command?: readonly string[];
  /** Words before the command: a tracer, or a shell that sets a limit and replaces itself. */
  readonly wrapper?: readonly string[];
  /** Words after those that every server gets. */
  readonly flags?: readonly string[];
}

export const fromSource: readonly string[] = [process.execPath, main];
/** From source with synchronous = NORMAL. */
export const weakened: readonly string[] = [
  ...[process.execPath, "--preload", resolve(import.meta.dir, "normal.ts"), main],
];

/** Without the variables of tests, because a server refuses those that it does not know. */
export function serverEnvironment(): Record<string, string | undefined> {
  const isOfTests = (name: string) => /^MEMLEDGER_(TEST_|SCREENSHOTS$)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfTests(name)));
}

const living = new Set<Bun.Subprocess>();

/** Starts a server and kills it before anybody knows whether it is ready. */
export async function startAndKill(options: ServerOptions, afterMs: number): Promise<void> {
  const child = Bun.spawn(wordsOf(options), { stdout: "ignore", stderr: "ignore" });
  living.add(child);
  await Bun.sleep(afterMs);
  child.kill("SIGKILL");
  await child.exited;
  living.delete(child);
}

/** @throws Error with what the server said when it ends before it is ready. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = Bun.spawn(wordsOf(options), { stdout: "pipe", stderr: "pipe", env: serverEnvironment() });
  living.add(child);
  let log = "";
  let ended = false;
  const reading = readAll(child.stderr, (text) => {
    log += text;
  });
  const exited = Promise.all([child.exited, reading]).then(([code]) => {
    living.delete(child);
    ended = true;
    return code;
  });
  const line = await firstLine(child.stdout);
  if (line === null) throw new Error(`the server ended with ${await exited} before it was ready: ${log}`);
  const ready: Json = JSON.parse(line);
  if (!isObject(ready) || ready.event !== "ready") throw new Error(`the server is not ready: ${line} ${log}`);
  return {
    url: String(ready.url),
    apiKey: typeof ready.api_key === "string" ? ready.api_key : null,
    projectId: String(ready.project_id),
    metricsUrl: typeof ready.metrics_url === "string" ? ready.metrics_url : null,
    pid: child.pid,
    log: () => log,
    hasEnded: () => ended,
    async kill() {
      // A call that fails from now on may fail because of it, also one whose end is noticed before that of the server.
      ended = true;
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

function wordsOf({
  dataDir,
  starts = "serve",
  command = fromSource,
  wrapper = [],
  flags = [],
}: ServerOptions): string[] {
  const settings = ["--port", "0", "--json", "--log-level", "error", "--data-dir", dataDir];
  return [...wrapper, ...command, starts, ...settings, ...flags];
}

/** For the end of a test that failed half-way. */
export async function killAll(): Promise<void> {
  const children = [...living];
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
}

/** A folder for one proof, and its removal. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "memledger-crash-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function readAll(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}

/** Null when the stream ends before a line is complete; what follows the line is dropped. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  return null;
}
