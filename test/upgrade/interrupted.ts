// Interrupts the migration of a data directory of a previous format: kills the server at each step that it takes on the database, and lets
// the disk be full from each of these steps on. Afterwards a start migrates it as if nothing had happened, or goes on.

import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatVersion } from "../../src/engines/sqlite/schema/migrate.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { startServer, temporaryFolder } from "../crash/server.ts";
import { findVerdict } from "../crash/verify.ts";
import { copyKept, findMissing, type KeptFormat } from "./kept-formats.ts";

interface Interrupted {
  readonly steps: number;
  readonly interruptions: number;
  readonly faults: readonly string[];
}

interface InterruptOptions {
  /** Words before `serve`. */
  readonly command: readonly string[];
  /** At most so many steps are tried, spread over all. */
  readonly steps: number;
}

/** What changes the files of a database. */
const changes = "pwrite64,ftruncate,fsync,fdatasync";
const endLimitMs = 30_000;

export async function interruptMigration(
  kept: KeptFormat,
  { command, steps: wanted }: InterruptOptions,
): Promise<Interrupted> {
  const steps = await countSteps(kept, command);
  const every = Math.max(1, Math.floor(steps / wanted));
  const faults: string[] = [];
  let interruptions = 0;
  for (let step = 1; step <= steps; step += every) {
    for (const how of ["signal=SIGKILL", "error=ENOSPC"]) {
      const found = await interruptAt(kept, command, step, how);
      faults.push(
        ...found.map((fault) => `format ${kept.format}, step ${step} of ${steps}, ${how}: ${fault}`),
      );
      interruptions += 1;
    }
  }
  return { steps, interruptions, faults };
}

/** How many system calls change the database until the server is ready. */
async function countSteps(kept: KeptFormat, command: readonly string[]): Promise<number> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  copyKept(kept, dataDir);
  const file = join(folder.path, "trace");
  const server = await startServer({ dataDir, command, wrapper: watcher(dataDir, ["-o", file]) });
  const text = await Bun.file(file).text();
  await server.kill();
  return text.split("\n").filter((line) => /^\d+ +\w+\(/.test(line)).length;
}

function watcher(dataDir: string, more: readonly string[]): string[] {
  const { database } = locate(dataDir);
  const files = ["", "-wal", "-journal"].flatMap((suffix) => ["-P", database + suffix]);
  return ["strace", "-D", "-f", ...files, "-e", `trace=${changes}`, ...more];
}

async function interruptAt(
  kept: KeptFormat,
  command: readonly string[],
  step: number,
  how: string,
): Promise<string[]> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  copyKept(kept, dataDir);
  // A full disk stays full: every later step fails, too. Only a write can fail so.
  const [calls, when] = how === "error=ENOSPC" ? ["pwrite64", `${step}+`] : [changes, `${step}`];
  const inject = ["-o", "/dev/null", "-e", `inject=${calls}:${how}:when=${when}`];
  const words = ["serve", "--port", "0", "--json", "--log-level", "error", "--data-dir", dataDir];
  const child = Bun.spawn([...watcher(dataDir, inject), ...command, ...words], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  // It may become ready: the disk can be full after the migration. Then it is killed.
  const late = setTimeout(() => child.kill("SIGKILL"), endLimitMs);
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  if (!done) child.kill("SIGKILL");
  const said = await child.stderr.text();
  const code = await child.exited;
  clearTimeout(late);
  const faults: string[] = [];
  if (done && how === "error=ENOSPC" && (code !== 1 || !/no space is left|disk/.test(said)))
    faults.push(`the server ended with ${code}: ${said.slice(0, 300)}`);
  const format = formatOf(locate(dataDir).database);
  if (format !== kept.format && format !== formatVersion) faults.push(`the database has format ${format}`);
  const again = await startServer({ dataDir, command });
  faults.push(...(await findMissing(again.url, kept)));
  await again.stop();
  faults.push(...(await findVerdict(command, dataDir)));
  return faults;
}

/** With the log that the interruption has left, as the next start reads it. */
function formatOf(path: string): number | null {
  if (!existsSync(path)) return null;
  const database = new Database(path);
  try {
    return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? null;
  } finally {
    database.close();
  }
}
