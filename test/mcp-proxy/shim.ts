// Starts `memledger mcp` as a client does, and talks to it line by line. Must never end a process it did not start.

import { afterEach } from "bun:test";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../src/json/json.ts";

const main = join(import.meta.dir, "../../src/main.ts");

export interface Shim {
  readonly pid: number;
  /** Sends a text, or a message as one line. */
  send(message: JsonObject | string): void;
  /** Sends a request and returns its answer. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a tool. @returns the result, or the error as `{ error }` */
  tool(name: string, input: JsonObject): Promise<JsonObject>;
  /** The next message that is no answer to `ask`. */
  next(): Promise<JsonObject>;
  /** Everything that was written to stdout, one message each. @throws Error if a line is none */
  readonly messages: readonly JsonObject[];
  /** Closes stdin and waits for the end. */
  end(): Promise<{ readonly exitCode: number; readonly stderr: string }>;
  kill(): Promise<void>;
}

interface ShimOptions {
  readonly words?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const started = new Set<Bun.Subprocess>();

/** Ends what a failed test left running. */
export function endShimsAfterEach(): (options: ShimOptions) => Shim {
  afterEach(async () => {
    for (const child of started) child.kill("SIGKILL");
    await Promise.all([...started].map((child) => child.exited));
    started.clear();
  });
  return startShim;
}

function startShim({ words = [], variables = {}, cwd }: ShimOptions): Shim {
  const child = Bun.spawn([process.execPath, main, "mcp", ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...variables },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  started.add(child);
  const stderr = child.stderr.text();
  const messages: JsonObject[] = [];
  const asked = new Map<Json, (answer: JsonObject) => void>();
  const others: JsonObject[] = [];
  const waiting: ((message: JsonObject) => void)[] = [];
  const take = (line: string): void => {
    const message: Json = JSON.parse(line);
    if (!isObject(message) || message.jsonrpc !== "2.0") throw new Error(`no message on stdout: ${line}`);
    messages.push(message);
    const answered = "method" in message ? undefined : asked.get(message.id ?? null);
    if (answered !== undefined) answered(message);
    else if (waiting.length > 0) waiting.shift()?.(message);
    else others.push(message);
  };
  const reading = read(child.stdout, take);
  let count = 0;
  const send: Shim["send"] = (message) => {
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  const ask: Shim["ask"] = (method, params = {}) => {
    const id = `ask ${++count}`;
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    asked.set(id, resolve);
    send({ jsonrpc: "2.0", id, method, params });
    return promise;
  };
  return {
    pid: child.pid,
    send,
    ask,
    messages,
    async tool(name, input) {
      const answer = await ask("tools/call", { name, arguments: input });
      return isObject(answer.result) ? answer.result : { error: answer.error ?? null };
    },
    next: async () => others.shift() ?? (await new Promise((resolve) => waiting.push(resolve))),
    async end() {
      child.stdin.end();
      await reading;
      return { exitCode: await child.exited, stderr: await stderr };
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function read(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  if (rest !== "") throw new Error(`stdout ends without a line break: ${rest}`);
}

export const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "shim-test", version: "1" },
};

/** The text of a tool's result. */
export function textOf(result: JsonObject): string {
  const [content] = Array.isArray(result.content) ? result.content : [];
  return isObject(content) ? String(content.text) : JSON.stringify(result);
}
