// Runs `memledger connect` as a new user would: in an empty home directory, which is never that of the user who runs the test.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { createFolder, type Outcome, type Variables } from "../../cli/command.ts";
import type { CommandLine } from "../../cli/command-process.ts";
import { main } from "../../program.ts";

export interface Home {
  readonly home: string;
  readonly project: string;
  /** The data directory of the user. */
  readonly dataDir: string;
  /** What an assistant of this user passes to programs that it starts. */
  readonly variables: Variables;
  run(words: readonly string[], variables?: Variables): Promise<Outcome>;
  /** As run, in a process of its own. */
  runProcess(words: readonly string[]): Promise<Outcome>;
  /** As run with --json. @returns what the command prints @throws Error when it fails */
  json(words: readonly string[], variables?: Variables): Promise<JsonObject>;
  /** Writes a file in the home directory. */
  write(path: string, text: string): string;
  read(path: string): string;
}

/** Bun would create it in the home directory. */
const bunCache = createFolder();

const waiting: ((outcome: Outcome) => void)[] = [];
let commands: Bun.Subprocess | null = null;

/** Runs command lines in one process. They are answered in their order. */
function runInOrder(line: CommandLine): Promise<Outcome> {
  commands ??= startCommands();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  waiting.push(resolve);
  commands.send(line);
  return promise;
}

function startCommands(): Bun.Subprocess {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../cli/command-process.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (outcome: Outcome) => waiting.shift()?.(outcome),
  });
  child.unref();
  return child;
}

/** A home directory and a project, both empty. */
export function createHome(): Home {
  const folder = createFolder();
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  for (const path of [home, project]) mkdirSync(path);
  const own = { PATH: process.env.PATH ?? "", HOME: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: bunCache };
  const run = (words: readonly string[], variables: Variables = {}) =>
    runInOrder({ words: ["connect", ...words], cwd: project, env: { ...own, ...variables } });
  return {
    home,
    project,
    dataDir: join(home, ".local/share/memledger"),
    variables: own,
    run,
    async runProcess(words) {
      const options = { cwd: project, env: own, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
      const child = Bun.spawn([process.execPath, main, "connect", ...words], options);
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, stdout, stderr };
    },
    async json(words, variables) {
      const { exitCode, stdout, stderr } = await run([...words, "--json"], variables);
      const json: Json = JSON.parse(stdout);
      if (exitCode !== 0 || !isObject(json)) throw new Error(`${exitCode}: ${stdout} ${stderr}`);
      return json;
    },
    write(path, text) {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    read: (path) => readFileSync(join(home, path), "utf8"),
  };
}
