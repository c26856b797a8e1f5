// Records what a real server does to its disk: several lives of one data directory under strace, with mixed load.

import { Database } from "bun:sqlite";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { defaultModel } from "../../src/models/embedding/model-directory.ts";
import { type DataDirectory, locate } from "../../src/server/data-directory/data-directory.ts";
import { countRecords } from "./crash-state.ts";
import { type Erasure, eraseRecord } from "./erase.ts";
import { type Action, type Call, createLoad } from "./load.ts";
import { startServer } from "./server.ts";
import { parseTrace, type TraceEvent, tracer } from "./trace.ts";

export interface Recording {
  readonly events: readonly TraceEvent[];
  readonly calls: readonly Call[];
  /** Empty when the first start made none. */
  readonly key: string;
  /** Exists from the beginning; the data directory is made in it by the server. */
  readonly folder: string;
  readonly directory: DataDirectory;
  /** Content of files that were there before. */
  readonly placed: ReadonlyMap<string, Buffer>;
  readonly leastRecords: number;
  readonly erasure: Erasure | null;
}

export interface RecordOptions {
  /** An empty folder. */
  readonly folder: string;
  /** Words before `serve`. */
  readonly command: readonly string[];
  readonly calls: number;
  readonly seed: number;
  /** A database to start with, and files that are beside it, such as its signing key. */
  readonly database?: string;
  readonly beside?: readonly string[];
  /** Whether to erase a record in the first life. */
  readonly erases?: boolean;
}

/** Why nothing can be recorded here; null when it can. */
export function whyNoTrace(): string | null {
  if (process.platform !== "linux" || Bun.which("strace") === null)
    return "strace is not installed: apt-get install strace";
  const { exitCode } = Bun.spawnSync(["strace", "-o", "/dev/null", "true"], { stderr: "ignore" });
  return exitCode === 0 ? null : "strace may not trace here";
}

const clients = 6;
const shares = [0.5, 0.4, 0.1];
const cacheUse: readonly Action[] = ["memory.create", "memory.search", "memory.delete"];

/** A life that is killed, one that begins with recovery and ends in order, and a short one. */
export async function record(options: RecordOptions): Promise<Recording> {
  const { folder, command, calls, seed } = options;
  const directory = locate(join(folder, "data"));
  const placed = new Map<string, Buffer>();
  let leastRecords = 0;
  if (options.database !== undefined) {
    mkdirSync(directory.root, { mode: 0o700 });
    leastRecords = adopt(options.database, directory.database);
    placed.set(directory.database, readFileSync(directory.database));
    for (const file of options.beside ?? []) {
      const copy = join(directory.root, basename(file));
      copyFileSync(file, copy);
      chmodSync(copy, 0o600);
      placed.set(copy, readFileSync(copy));
    }
  }
  const load = createLoad(seed);
  const events: TraceEvent[] = [];
  let key = "";
  let erasure: Erasure | null = null;
  for (const [life, share] of shares.entries()) {
    const file = join(folder, `trace-${life}`);
    const server = await startServer({ dataDir: directory.root, command, wrapper: tracer(file) });
    key = server.apiKey ?? key;
    const target = { url: server.url, key };
    await load.run(target, { clients, calls: Math.ceil(calls * share) });
    // The end of the server writes the index that a search needs; the next life uses its files, and wipes what it deletes.
    if (calls > 0) for (const action of cacheUse) await load.send(target, action);
    if (life === 0 && options.erases === true) {
      const place = { dataDir: directory.root, database: directory.database };
      erasure = await eraseRecord(command, place, load, target);
      // The log is used again, or not: both must keep what was erased away.
      await load.run(target, { clients: 1, calls: 5 });
    }
    if (life === 0) await server.kill();
    else await server.stop();
    for (const event of parseTrace(await finished(file, server.pid), folder)) events.push(event);
  }
  return { events, calls: load.calls, key, folder, directory, placed, leastRecords, erasure };
}

/**
 * Copies a database without its exports, whose files are not there, and makes the embedding model of the program its model.
 * @returns how many records it has.
 */
function adopt(database: string, copy: string): number {
  copyFileSync(database, copy);
  const opened = new Database(copy);
  opened.run(
    "UPDATE installation SET value = json_set(value, '$.sha256', ?) WHERE name = 'embedding_model'",
    [defaultModel().sha256],
  );
  const hasExports = opened.query("SELECT 1 FROM sqlite_master WHERE name = 'audit_export'").get() !== null;
  if (hasExports) opened.run("DELETE FROM audit_export");
  opened.run("PRAGMA wal_checkpoint(TRUNCATE)");
  opened.close();
  const records = countRecords(copy);
  for (const suffix of ["-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
  return records;
}

const flushLimitMs = 20_000;

/** The tracer outlives the server for a moment. */
async function finished(file: string, pid: number): Promise<string> {
  const end = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, "m");
  const deadline = Date.now() + flushLimitMs;
  while (Date.now() < deadline) {
    const text = existsSync(file) ? readFileSync(file, "latin1") : "";
    if (end.test(text.slice(-10_000))) return text;
    await Bun.sleep(50);
  }
  throw new Error("strace did not finish its trace");
}
