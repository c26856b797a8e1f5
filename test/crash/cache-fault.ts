// Takes the disk away from the cache files of a running server, and from nothing else: every call must be answered as always, every search
// exactly, and the files are written again when the disk has room. Must never let a call on another file fail.

import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { writeTestMs } from "../../src/engines/sqlite/search-cache/limits.ts";
import { cacheFolderOf } from "../../src/engines/sqlite/search-cache/project-files.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findDeletedInCache, readCachedSerials } from "./cached-rows.ts";
import { findFaults } from "./check.ts";
import { failCalls } from "./disk-faults.ts";
import { findInexact } from "./exact-search.ts";
import { type Call, createLoad } from "./load.ts";
import { fromSource, type Server, startServer, temporaryFolder } from "./server.ts";
import { findVerdict } from "./verify.ts";

export interface CacheFaultOptions {
  /** As strace writes it, such as `pwrite64:error=ENOSPC`. */
  readonly injection: string;
  readonly seed: number;
  readonly command?: readonly string[];
}

interface CacheFaultReport {
  readonly answered: number;
  readonly faults: readonly string[];
}

const cannotWrite = "search indexes cannot be written to cache files";
/** An index that is in use, or whose type is deleted meanwhile, is left to a later attempt. */
const attemptsMax = 5;

export async function failCacheFiles({
  injection,
  seed,
  command = fromSource,
}: CacheFaultOptions): Promise<CacheFaultReport> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const { database } = locate(dataDir);
  const load = createLoad(seed);
  const first = await startServer({ dataDir, command });
  const { projectId, apiKey } = first;
  const key = apiKey ?? "";
  await load.run({ url: first.url, key }, { clients: 4, calls: 60 });
  const faults = await findInexact({ url: first.url, key, projectId, database }, load);
  await first.stop();
  const files = join(cacheFolderOf(database), projectId);
  const written = readdirSync(files).map((name) => join(files, name));
  if (written.length === 0) faults.push("the end of the server has written no cache files");

  const server = await startServer({ dataDir, command, flags: ["--log-level", "warn"] });
  const target = { url: server.url, key };
  const place = { ...target, projectId, database };
  const end = await failCalls(server.pid, injection, [
    ...new Set([...written, files, join(files, "index"), join(files, "index.new")]),
  ]);
  const before = load.calls.length;
  const endsAt = performance.now() + attemptsMax * writeTestMs;
  const isOver = () => performance.now() > endsAt || server.log().includes(cannotWrite);
  try {
    await load.run(target, { clients: 4, isOver });
    await load.run(target, { clients: 4, calls: 60 });
    faults.push(...judgeCalls(load.calls.slice(before)), ...judgeLog(server));
    faults.push(...(await findInexact(place, load)), ...findDeletedInCache(dataDir, projectId));
  } finally {
    await end();
  }
  await load.run(target, { clients: 4, calls: 60 });
  faults.push(...(await findInexact(place, load)));
  if (server.hasEnded()) faults.push("the server ended");
  await server.stop();
  faults.push(...judgeFiles(dataDir, projectId), ...findDeletedInCache(dataDir, projectId));

  const again = await startServer({ dataDir, command });
  faults.push(...(await findInexact({ ...place, url: again.url }, load)));
  await again.stop();
  const answered = load.calls.filter(({ status }) => status !== null).length;
  faults.push(...findFaults(database, load.calls), ...(await findVerdict(command, dataDir)));
  return { answered, faults };
}

function judgeCalls(calls: readonly Call[]): string[] {
  return calls
    .filter(({ status, code }) => status === null || status >= 500 || code === 1503)
    .map(
      ({ action, status, code }) => `without cache files ${action} was answered ${status} with code ${code}`,
    );
}

function judgeLog(server: Server): string[] {
  const lines = server.log().split("\n");
  const found = lines.filter((line) => line.includes(cannotWrite)).length;
  return found === 1 ? [] : [`the server logged ${found} times that ${cannotWrite}: ${server.log()}`];
}

/** All memories are in the files: the disk had room at the end of the server. */
function judgeFiles(dataDir: string, projectId: string): string[] {
  using database = new Database(locate(dataDir).database, { readonly: true });
  const rows = database
    .query<{ serial: number }, [string]>(
      `SELECT m.serial FROM memory m JOIN pool USING (project, memory_type, epoch)
       JOIN project p ON p.serial = m.project WHERE p.id = ? ORDER BY m.serial`,
    )
    .all(projectId);
  const cached = readCachedSerials(dataDir, projectId)?.toSorted((a, b) => a - b) ?? null;
  const stored = rows.map(({ serial }) => serial);
  return Bun.deepEquals(cached, stored)
    ? []
    : [`after the disk had room again the files have ${cached?.length} of ${stored.length} memories`];
}
