// How long `memledger mcp` takes from its start to its first answer, with a running server and without one, and what it adds to a call.

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../src/platform/json/json.ts";
import { startStdioClient } from "../test/assistants/mcp-proxy/stdio-client.ts";
import { median, ms } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  measureTable,
  progress,
  residentMegabytes,
  runCommand,
  type Table,
  temporaryFolder,
} from "./harness.ts";

const withServerMaxMs = 300;
const withoutServerMaxMs = 1_500;
const listsPerRound = 100;

const clientInfo = { name: "bench", version: "1" };
const prefix = "io.modelcontextprotocol";
const openings = {
  initialize: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  "server/discover": {
    _meta: {
      [`${prefix}/protocolVersion`]: "2026-07-28",
      [`${prefix}/clientInfo`]: clientInfo,
      [`${prefix}/clientCapabilities`]: {},
    },
  },
} as const;
type Opening = keyof typeof openings;

export async function stdio(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  await using _ = { [Symbol.asyncDispose]: () => stop(executable, dataDir) };
  const firstEver: number[] = [];
  const started: Record<Opening, number[]> = { initialize: [], "server/discover": [] };
  const running: Record<Opening, number[]> = { initialize: [], "server/discover": [] };
  for (let round = 0; round < options.rounds; round++) {
    progress(`stdio: round ${round + 1}`);
    await stop(executable, dataDir);
    rmSync(dataDir, { recursive: true, force: true });
    firstEver.push(await firstAnswer(executable, dataDir, "initialize"));
    for (const opening of ["initialize", "server/discover"] as const) {
      await stop(executable, dataDir);
      started[opening].push(await firstAnswer(executable, dataDir, opening));
      for (let turn = 0; turn < 5; turn++)
        running[opening].push(await firstAnswer(executable, dataDir, opening));
    }
  }
  const { addedMs, megabytes } = await measureCalls(executable, dataDir, options.rounds);
  const row = (what: string, times: readonly number[], maxMs: number) => ({
    what,
    figure: ms(median(times)),
    comparedTo: `the slowest of ${times.length}: ${ms(Math.max(...times))}`,
    bar: `< ${maxMs} ms`,
    reached: median(times) < maxMs,
  });
  const note =
    "From the start of `memledger mcp` to its first answer on stdout. Medians are compared with the bar. The added time is that of `tools/list` through one running program, against the same request over HTTP on the local socket, by turns.";
  return [
    measureTable("Programs for assistants", note, [
      row("initialize, a server runs", running.initialize, withServerMaxMs),
      row("server/discover, a server runs", running["server/discover"], withServerMaxMs),
      row("initialize, no server runs", started.initialize, withoutServerMaxMs),
      row("server/discover, no server runs", started["server/discover"], withoutServerMaxMs),
      row("initialize, no data directory exists", firstEver, withoutServerMaxMs),
      { what: "added to a request, p50", figure: ms(addedMs), comparedTo: "", bar: "", reached: null },
      {
        what: "resident memory of the program",
        figure: `${megabytes.toFixed(0)} MB`,
        comparedTo: "",
        bar: "",
        reached: null,
      },
    ]),
  ];
}

async function stop(executable: string, dataDir: string): Promise<void> {
  await runCommand(executable, "stop", "--data-dir", dataDir);
}

function start(executable: string, dataDir: string) {
  const client = startStdioClient([executable, "mcp", "--data-dir", dataDir]);
  return {
    pid: client.pid,
    async ask(method: string, params: JsonObject): Promise<number> {
      const begunAtMs = performance.now();
      const answer = await client.ask(method, params);
      if (!("result" in answer)) throw new Error(`${method} failed: ${JSON.stringify(answer).slice(0, 500)}`);
      return performance.now() - begunAtMs;
    },
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}

async function firstAnswer(executable: string, dataDir: string, opening: Opening): Promise<number> {
  const begunAtMs = performance.now();
  await using program = start(executable, dataDir);
  await program.ask(opening, openings[opening]);
  return performance.now() - begunAtMs;
}

async function measureCalls(
  executable: string,
  dataDir: string,
  rounds: number,
): Promise<{ readonly addedMs: number; readonly megabytes: number }> {
  await using program = start(executable, dataDir);
  await program.ask("initialize", openings.initialize);
  const unix = join(dataDir, "memledger.sock");
  const answered = await fetch("http://localhost/key.local", {
    unix,
    method: "POST",
    body: '{"project":"default"}',
  });
  const { data } = JSON.parse(await answered.text());
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Memledger-Key": String(data.key_id),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const direct: number[] = [];
  const through: number[] = [];
  for (let turn = 0; turn < listsPerRound * rounds; turn++) {
    const begunAtMs = performance.now();
    const response = await fetch("http://localhost/mcp", { unix, method: "POST", headers, body });
    await response.text();
    direct.push(performance.now() - begunAtMs);
    through.push(await program.ask("tools/list", {}));
  }
  return {
    addedMs: median(through) - median(direct),
    megabytes: await residentMegabytes(program.pid),
  };
}
