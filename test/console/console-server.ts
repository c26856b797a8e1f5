// Starts a real server process for tests of the console: from source, or the executable that the variable MEMLEDGER_TEST_EXECUTABLE names.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fromSource, type Server, serverEnvironment, startServer } from "../crash/server.ts";

export interface ConsoleServer {
  readonly url: string;
  /** Of the first start: project `default`, all permissions. */
  readonly apiKey: string;
  readonly projectId: string;
  readonly dataDir: string;
  /** Runs a command of memledger for the data directory, such as ["key", "list"]. @returns what it prints */
  run(...words: readonly string[]): Promise<string>;
  /** Ends the server and starts it again at the same address; `between` runs while there is none. */
  restart(between?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** @param toml content of memledger.toml */
export async function startConsoleServer(
  flags: readonly string[] = [],
  toml: string | null = null,
): Promise<ConsoleServer> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-console-"));
  const dataDir = join(folder, "data");
  if (toml !== null) {
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, "memledger.toml"), toml);
  }
  const command = commandIn(folder);
  const start = (port: string): Promise<Server> =>
    startServer({ dataDir, command, flags: [...flags, "--port", port] });
  let server = await start("0");
  const { url, apiKey, projectId } = server;
  if (apiKey === null) throw new Error("the first start made no key");
  return {
    url,
    apiKey,
    projectId,
    dataDir,
    async run(...words) {
      const child = Bun.spawn([...command, ...words, "--data-dir", dataDir], {
        stdout: "pipe",
        stderr: "pipe",
        env: serverEnvironment(),
      });
      const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      if (code !== 0) throw new Error(`memledger ${words.join(" ")} ended with ${code}: ${error}`);
      return out;
    },
    async restart(between) {
      await server.stop();
      await between?.();
      server = await start(new URL(url).port);
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The executable is copied alone into the folder, so that it can load nothing from beside it. */
function commandIn(folder: string): readonly string[] {
  const executable = process.env.MEMLEDGER_TEST_EXECUTABLE;
  if (executable === undefined) return fromSource;
  const copy = join(folder, "memledger");
  cpSync(resolve(executable), copy);
  return [copy];
}
