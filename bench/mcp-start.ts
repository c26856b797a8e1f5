// How long an assistant that starts `memledger mcp` waits for the first answer: with a running server, and without one, which the program
// then starts in the background. Must never leave that server behind.

import { rmSync } from "node:fs";
import { median, ms } from "./figures.ts";
import { type Measure, progress, runCommand, startServer } from "./harness.ts";

const runningMaxMs = 300;
const startedMaxMs = 1_500;

/** The first message that clients of each era send. */
const firstMessages = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  },
  "server/discover": {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
} as const;
type Method = keyof typeof firstMessages;
const methods = ["initialize", "server/discover"] as const;

interface FirstAnswers {
  /** A server runs already. */
  readonly running: number[];
  /** None runs, and the data directory is there. */
  readonly started: number[];
  /** There is no data directory. */
  readonly first: number[];
}

/** @param dataDir is created and removed again and again */
export async function firstAnswers(executable: string, dataDir: string, rounds: number): Promise<Measure[]> {
  const stop = () => runCommand(executable, "stop", "--data-dir", dataDir);
  const times = new Map<Method, FirstAnswers>(
    methods.map((method) => [method, { running: [], started: [], first: [] }]),
  );
  try {
    for (let round = 0; round < rounds; round++) {
      progress(`mcp: first answers, round ${round + 1}`);
      for (const [method, { running, started, first }] of times) {
        rmSync(dataDir, { recursive: true, force: true });
        first.push(await firstAnswer(executable, dataDir, method));
        await stop();
        started.push(await firstAnswer(executable, dataDir, method));
        await stop();
        await using _server = await startServer(executable, dataDir);
        running.push(await firstAnswer(executable, dataDir, method));
      }
    }
  } finally {
    await stop();
  }
  return [...times].flatMap(([method, { running, started, first }]) => [
    row(`${method}, with a running server`, running, runningMaxMs),
    row(`${method}, without a server`, started, startedMaxMs),
    row(`${method}, without a server and its data directory`, first, startedMaxMs),
  ]);
}

function row(what: string, values: readonly number[], maxMs: number): Measure {
  const figure = median(values);
  return {
    what,
    figure: ms(figure),
    comparedTo: `slowest ${ms(Math.max(...values))}`,
    bar: `≤ ${maxMs} ms`,
    reached: figure <= maxMs,
  };
}

/** From the start of the process to the first line of its answer. @throws Error if that is no result */
async function firstAnswer(executable: string, dataDir: string, method: Method): Promise<number> {
  const begun = performance.now();
  const child = Bun.spawn([executable, "mcp", "--data-dir", dataDir], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const message = { jsonrpc: "2.0", id: 1, method, params: firstMessages[method] };
    child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
    const line = await firstLine(child.stdout);
    const elapsedMs = performance.now() - begun;
    if (!line.includes('"result"')) throw new Error(`memledger mcp answered ${method} with ${line}`);
    return elapsedMs;
  } finally {
    child.stdin.end();
    await Promise.race([child.exited, Bun.sleep(10_000)]);
    child.kill("SIGKILL");
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text;
}
