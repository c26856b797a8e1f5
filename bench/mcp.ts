// How much longer a search takes through a tool of MCP than over HTTP: the same searches in the same run, by turns.

import { join } from "node:path";
import { median, ms } from "./figures.ts";
import { type FilledProject, fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  type Server,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, type HttpReply, toRequest } from "./http-client.ts";
import type { PlannedCall } from "./load-generator.ts";
import { tailText } from "./tail.ts";
import { createRandom, question } from "./texts.ts";

const size = 10_000;
const searchesPerRound = 200;
const addedMaxMs = 3;

export async function mcp(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [project] = await fill(dataDir, [size]);
  if (project === undefined) throw new Error("Nothing was filled.");
  await using server = await startServer(executable, dataDir);
  const note = `One client, one search after another, over ${size.toLocaleString("en")} memories with random unit vectors, with queries that were not asked before. The three ways take turns, and each search of a turn is compared with that over HTTP.`;
  return [measureTable("MCP", note, await searches(server, project, options))];
}

const ways = {
  http: searchOverHttp,
  "2025-11-25": searchOf2025,
  "2026-07-28": searchOf2026,
} as const;
type Way = keyof typeof ways;

const names = ["http", "2025-11-25", "2026-07-28"] as const;

async function searches({ port }: Server, { key }: FilledProject, options: BenchOptions): Promise<Measure[]> {
  const random = createRandom(6);
  const connection = await Connection.open(port);
  let asked = 0;
  const search = async (name: Way): Promise<number> => {
    const { method, path, body, headers } = ways[name](question(random, asked++));
    const request = toRequest(method, path, key, body, headers);
    const start = performance.now();
    const reply = await connection.send(request);
    const elapsedMs = performance.now() - start;
    expectMemories(reply);
    return elapsedMs;
  };
  const latencies: Record<Way, number[]> = { http: [], "2025-11-25": [], "2026-07-28": [] };
  for (let round = 0; round <= options.rounds; round++) {
    progress(`mcp: searches, round ${round + 1}`);
    for (let turn = 0; turn < searchesPerRound; turn++) {
      // Another order in each turn, because a search may leave work behind for the next one.
      for (const at of names.keys()) {
        const name = names[(at + turn) % names.length] ?? "http";
        const elapsedMs = await search(name);
        if (round > 0) latencies[name].push(elapsedMs);
      }
    }
  }
  connection.close();
  const p50 = (name: Way) => median(latencies[name]);
  const tail = (name: Way) => tailText([{ latenciesMs: latencies[name] }]);
  const http = p50("http");
  return (["2025-11-25", "2026-07-28"] as const).map((era) => {
    // Of the searches of the same turn: other work on the machine is the same for both.
    const addedMs = median(latencies[era].map((value, turn) => value - (latencies.http[turn] ?? 0)));
    return {
      what: `memory_search, protocol ${era}, p50 (${tail(era)})`,
      figure: ms(p50(era)),
      comparedTo: `hybrid search over HTTP: ${ms(http)} (${tail("http")}), median of the differences ${ms(addedMs)}`,
      bar: `difference < ${addedMaxMs} ms`,
      reached: addedMs < addedMaxMs,
    };
  });
}

/** Errors of tools have the status 200, too. */
function expectMemories({ status, body }: HttpReply): void {
  const text = Buffer.from(body).toString();
  if (status !== 200 || !/"content":"\w/.test(text))
    throw new Error(`A search found nothing: ${status} ${text.slice(0, 500)}`);
}

/** As many memories as the tool returns without being asked for a number. */
function searchOverHttp(query: string): PlannedCall {
  return { method: "POST", path: "/v1/memories/search", body: { query, mode: "hybrid" } };
}

function searchOf2025(query: string): PlannedCall {
  return toolCall({ "MCP-Protocol-Version": "2025-11-25" }, query, {});
}

function searchOf2026(query: string): PlannedCall {
  const prefix = "io.modelcontextprotocol";
  const headers = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "memory_search",
  };
  return toolCall(headers, query, {
    [`${prefix}/protocolVersion`]: "2026-07-28",
    [`${prefix}/clientInfo`]: { name: "bench", version: "1" },
    [`${prefix}/clientCapabilities`]: {},
  });
}

function toolCall(headers: Readonly<Record<string, string>>, query: string, meta: object): PlannedCall {
  const params = { name: "memory_search", arguments: { query }, _meta: meta };
  return {
    method: "POST",
    path: "/mcp",
    headers: { Accept: "application/json, text/event-stream", ...headers },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}
