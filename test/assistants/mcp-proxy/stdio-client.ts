// Talks to a program that speaks the Model Context Protocol on stdin and stdout, line by line, as a client that has started it. Uses no
// package, so that it also runs beside the executable alone. Must never end a process it did not start.

import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";

export interface StdioClient {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe" | "inherit">;
  readonly pid: number;
  /** Sends a text, or a message as one line. */
  send(message: JsonObject | string): void;
  /** Sends a request and returns its answer. @throws Error if the program ends before */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a tool. @returns the result, or the error as `{ error }` */
  tool(name: string, input: JsonObject): Promise<JsonObject>;
  /** The next message that is no answer to `ask`. */
  next(): Promise<JsonObject>;
  /** Everything that was written to stdout, one message each. @throws Error if a line is none */
  readonly messages: readonly JsonObject[];
  /** Closes stdin and waits for the end. */
  end(): Promise<number>;
  kill(): Promise<void>;
}

interface StdioOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Default: shown with the errors of this process. */
  readonly stderr?: "pipe" | "inherit";
}

export function startStdioClient(
  command: readonly string[],
  { env = process.env, cwd = process.cwd(), stderr = "inherit" }: StdioOptions = {},
): StdioClient {
  const child = Bun.spawn([...command], { env, cwd, stdin: "pipe", stdout: "pipe", stderr });
  const messages: JsonObject[] = [];
  const asked = new Map<Json, PromiseWithResolvers<JsonObject>>();
  const others: JsonObject[] = [];
  const waiting: ((message: JsonObject) => void)[] = [];
  const take = (line: string): void => {
    const message: Json = JSON.parse(line);
    if (!isObject(message) || message.jsonrpc !== "2.0") throw new Error(`no message on stdout: ${line}`);
    messages.push(message);
    const answered = "method" in message ? undefined : asked.get(message.id ?? null);
    if (answered !== undefined) answered.resolve(message);
    else if (waiting.length > 0) waiting.shift()?.(message);
    else others.push(message);
  };
  const reading = readLines(child.stdout, take);
  const ended = reading.finally(() => {
    for (const { reject } of asked.values()) reject(new Error("the program ended before it answered"));
  });
  // Whoever asks or waits for the end sees the error.
  ended.catch(() => undefined);
  let count = 0;
  const send: StdioClient["send"] = (message) => {
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  const ask: StdioClient["ask"] = (method, params = {}) => {
    const id = `ask ${++count}`;
    const answer = Promise.withResolvers<JsonObject>();
    // Whoever has killed the program may not wait for the answer.
    answer.promise.catch(() => undefined);
    asked.set(id, answer);
    send({ jsonrpc: "2.0", id, method, params });
    return answer.promise;
  };
  return {
    child,
    pid: child.pid,
    send,
    ask,
    messages,
    tool(name, input) {
      const answered = ask("tools/call", { name, arguments: input });
      const result = answered.then((answer) =>
        isObject(answer.result) ? answer.result : { error: answer.error ?? null },
      );
      result.catch(() => undefined);
      return result;
    },
    next: async () => others.shift() ?? (await new Promise((resolve) => waiting.push(resolve))),
    async end() {
      child.stdin.end();
      await ended;
      return child.exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  if (rest !== "") throw new Error(`stdout ends without a line break: ${rest}`);
}

/** The text of a tool's result. */
export function textOf(result: JsonObject): string {
  const [content] = Array.isArray(result.content) ? result.content : [];
  return isObject(content) ? String(content.text) : JSON.stringify(result);
}
