// How much disk and memory a server needs: for 1,000 memories, and for 1,000 calls of each kind, with their records. The size of the
// database is read while no server runs, so that no write-ahead log is left.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  createProject,
  progress,
  residentMegabytes,
  type Server,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { createRandom, question, sentence } from "./texts.ts";

const calls = 2_000;
/** Calls of all kinds but the first, by turns, after each of which the memory is read. */
const steps = [3_000, 6_000, 9_000, 12_000];
/** In one project, for the memory of its vectors and words. */
const searched = 50_000;
const connections = 8;
/** Until the memory of a process stays as it is. */
const settleMs = 3_000;

type MakeRequest = (key: string, number: number) => Uint8Array;

interface Kind {
  readonly what: string;
  readonly request: MakeRequest;
}

const random = createRandom(8);
const post =
  (path: string, body: (number: number) => unknown): MakeRequest =>
  (key, number) =>
    toRequest("POST", path, key, body(number));

/** In this order, on one data directory. The first one creates what the others find. */
const kinds: readonly Kind[] = [
  {
    what: "memories of about 100 characters, each created by a call",
    request: post("/v1/memories", (number) => ({ content: sentence(random, number), memory_type: "fact" })),
  },
  {
    what: "searches (`hybrid`, `top_k` 10)",
    request: post("/v1/memories/search", (number) => ({ query: question(random, number), mode: "hybrid" })),
  },
  {
    what: "injections",
    request: post("/v1/memories/inject", (number) => ({ query: question(random, number) })),
  },
  { what: "lists of 20 memories", request: (key) => toRequest("GET", "/v1/memories", key) },
  {
    what: "lists of 20 audit records",
    request: (key) => toRequest("GET", "/v1/audit/logs?page_size=20", key),
  },
  {
    what: "dry runs of an extraction from 500 characters",
    request: post("/v1/memories/extract", (number) => ({ text: conversation(number), dry_run: true })),
  },
];

function conversation(number: number): string {
  let text = "";
  for (let line = 0; text.length < 500; line++)
    text += `User: I think that ${sentence(random, number + line)}\n`;
  return text.slice(0, 500);
}

export async function sizing(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "calls");
  const key = await createKey(executable, dataDir);
  const disk = await measureDisk(executable, dataDir, key);
  const memory = await measureMemory(executable, dataDir, key);
  const vectors = await measureVectors(executable, join(folder.path, "vectors"));
  const number = (value: number) => value.toLocaleString("en");
  return [
    {
      title: "Sizing: disk",
      note: `Growth of the database and its checkpoints after ${number(calls)} calls of one kind by ${connections} connections, with the records of the calls, read while no server runs. 1 MB is 1,000,000 bytes.`,
      columns: ["1,000 of", "disk"],
      rows: disk,
    },
    {
      title: "Sizing: memory",
      note: `Resident memory of one server with ${number(calls)} memories, ${settleMs / 1_000} s after the last of so many calls: searches, injections, lists and dry runs by turns. Then what the search cache holds for 1,000 memories, from the first searches of a project with ${number(searched)}.`,
      columns: ["after", "resident memory"],
      rows: [...memory, ["1,000 memories in the search cache", vectors]],
    },
  ];
}

async function measureDisk(executable: string, dataDir: string, key: string): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { what, request } of kinds) {
    progress(`sizing: ${what}`);
    const before = bytesOf(dataDir);
    await withServer(executable, dataDir, (server) => sendAll(server, request, key, { from: 0, to: calls }));
    rows.push([what, megabytes((bytesOf(dataDir) - before) / calls / 1_000)]);
  }
  return rows;
}

async function measureMemory(executable: string, dataDir: string, key: string): Promise<string[][]> {
  const others = kinds.slice(1);
  const mixed: MakeRequest = (secret, number) => {
    const kind = others[number % others.length];
    if (kind === undefined) throw new Error("There is no kind of calls.");
    return kind.request(secret, number);
  };
  return withServer(executable, dataDir, async (server) => {
    await Bun.sleep(settleMs);
    const rows = [["the start", await residentText(server)]];
    let from = 0;
    for (const to of steps) {
      progress(`sizing: memory after ${to} calls`);
      await sendAll(server, mixed, key, { from, to });
      await Bun.sleep(settleMs);
      rows.push([`${to.toLocaleString("en")} calls`, await residentText(server)]);
      from = to;
    }
    return rows;
  });
}

async function residentText({ pid }: Server): Promise<string> {
  return `${(await residentMegabytes(pid)).toFixed(0)} MB`;
}

/** A project and a key that may use everything, in a new data directory. */
async function createKey(executable: string, dataDir: string): Promise<string> {
  const first = await withServer(executable, dataDir, async ({ firstKey }) => firstKey);
  if (first === null) throw new Error("The first start printed no key.");
  return first;
}

async function withServer<Result>(
  executable: string,
  dataDir: string,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  await using server = await startServer(executable, dataDir);
  return await work(server);
}

async function sendAll(
  { port }: Server,
  request: MakeRequest,
  key: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  let next = from;
  const work = async () => {
    const connection = await Connection.open(port);
    while (next < to) {
      const { status, body } = await connection.send(request(key, next++));
      if (status > 299) throw new Error(`A call was answered with ${status}: ${Buffer.from(body)}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function measureVectors(executable: string, dataDir: string): Promise<string> {
  const small = await createProject(executable, dataDir, "small");
  const [project] = await fill(dataDir, [searched]);
  if (project === undefined) throw new Error("Nothing was filled.");
  progress("sizing: search cache");
  return withServer(executable, dataDir, async (server) => {
    const search = post("/v1/memories/search", (number) => ({
      query: question(random, number),
      mode: "hybrid",
    }));
    await sendAll(server, search, small.key, { from: 0, to: 500 });
    await Bun.sleep(settleMs);
    const idle = await residentMegabytes(server.pid);
    await sendAll(server, search, project.key, { from: 0, to: 50 });
    await Bun.sleep(settleMs);
    return megabytes((((await residentMegabytes(server.pid)) - idle) * 1_000) / searched);
  });
}

/** Without the unpacked libraries, which every data directory has once. */
function bytesOf(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  const counted = files.filter((file) => file.startsWith("memledger.db") || file.startsWith("checkpoints/"));
  return counted.map((file) => statSync(join(dataDir, file)).size).reduce((sum, bytes) => sum + bytes, 0);
}

const megabytes = (value: number) => `${value.toFixed(1)} MB`;
