// Data directories whose background servers are ended after each test, also when it fails. Must never end a process it did not start.

import { afterEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBackgroundServer } from "../../../src/server/find-background-server.ts";
import { isRunning } from "../../../src/server/start-marker.ts";

export interface BackgroundTest {
  /** A new data directory that does not exist yet. */
  directory(): string;
  /** The process number of its background server, which is killed after the test. @throws Error if there is none */
  serverOf(dataDir: string): Promise<number>;
}

export function endServersAfterEach(): BackgroundTest {
  const folders: string[] = [];
  const known = new Set<number>();
  const find = async (dataDir: string): Promise<number | null> => {
    const pid = await findBackgroundServer(dataDir);
    if (pid !== null) known.add(pid);
    return pid;
  };
  afterEach(async () => {
    for (const folder of folders) await find(join(folder, "data"));
    for (const pid of known) if (isRunning(pid)) process.kill(pid, "SIGKILL");
    for (const pid of known) await untilEnded(pid);
    known.clear();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    directory() {
      const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
      folders.push(folder);
      return join(folder, "data");
    },
    async serverOf(dataDir) {
      const pid = await find(dataDir);
      if (pid === null) throw new Error(`no background server uses ${dataDir}`);
      return pid;
    },
  };
}

export async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await Bun.sleep(10);
}
