// Owns the folders of one proof and the traced processes in them. Must never let a process see the home or the variables of the user.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer as start } from "../crash/server.ts";
import type { Outcome } from "./commands.ts";
import { judge, type Limits } from "./judge.ts";
import { isComplete, tracer } from "./system-calls.ts";

interface Sandbox extends Disposable {
  readonly dataDir: string;
  /** For files that the user names. */
  readonly named: string;
  run(words: readonly string[], input?: string): Promise<Outcome>;
  startServer(variables?: Readonly<Record<string, string>>): Promise<Server>;
  /** A witness of the ledger with this verifier key, and the setting that names it. */
  startWitness(ledgerKey: string): Promise<{ readonly witness: Server; readonly setting: string }>;
  /** Waits for every trace and judges it. @returns what was wrong, and how many processes were judged */
  judgeAll(
    ports: readonly number[],
  ): Promise<{ readonly faults: readonly string[]; readonly processes: number }>;
}

interface Traced {
  readonly label: string;
  readonly file: string;
}

/** What an environment may hold that leads a careless program astray, here to a port that nobody named; and Bun to a report. */
const temptations = {
  ...Object.fromEntries(
    [
      "HTTP_PROXY",
      "HTTPS_PROXY",
      "ALL_PROXY",
      "http_proxy",
      "https_proxy",
      "all_proxy",
      "OPENAI_BASE_URL",
    ].map((name) => [name, "http://127.0.0.1:9"]),
  ),
  BUN_ENABLE_CRASH_REPORTING: "1",
};

const empty = ["home", "tmp", "cwd"] as const;

/** @param command the words that start the program; the first is its executable */
export function createSandbox(command: readonly string[]): Sandbox {
  const root = mkdtempSync(join(tmpdir(), "memledger-egress-"));
  const [home, temporary, folder] = empty.map((name) => join(root, name));
  const [dataDir, named, traces] = ["data", "named", "traces"].map((name) => join(root, name));
  if (!home || !temporary || !folder || !dataDir || !named || !traces) throw new Error("unreachable");
  for (const path of [home, temporary, folder, named, traces]) mkdirSync(path, { mode: 0o700 });
  const started: Traced[] = [];
  const remove = () => rmSync(root, { recursive: true, force: true });
  // Where the proof is interrupted, nothing is disposed of.
  process.once("exit", remove);

  const wrapper = (label: string, variables: Readonly<Record<string, string>> = {}) => {
    const file = join(traces, String(started.length));
    const environment = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      TMPDIR: temporary,
      ...temptations,
      ...variables,
    };
    const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // A crash must leave no core file: the kernel would write it, and no trace would tell.
    const withoutCore = ["sh", "-c", 'ulimit -c 0 && exec "$@"', "sh"];
    const words = [...withoutCore, "env", "-i", "-C", folder, ...assignments, ...tracer(file)];
    started.push({ label, file });
    return words;
  };

  return {
    dataDir,
    named,
    async run(words, input) {
      const child = Bun.spawn([...wrapper(words.join(" ")), ...command, ...words], {
        stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, stdout, stderr };
    },
    startServer: (variables) =>
      start({ dataDir, command, wrapper: wrapper("serve", variables), flags: ["--metrics-port", "0"] }),
    async startWitness(ledgerKey) {
      const place = join(named, "witness");
      const flags = ["--log", ledgerKey];
      const options = { dataDir: place, command, wrapper: wrapper("witness"), flags };
      const witness = await start({ ...options, starts: "witness" });
      const key = readFileSync(join(place, "witness.pub"), "utf8").trim();
      return { witness, setting: `${witness.url} ${key}` };
    },
    async judgeAll(ports) {
      const executable = command[0] ?? "";
      const limits: Limits = {
        folder,
        ports,
        executable,
        writable: [dataDir, named],
        untouched: [home, temporary, folder],
      };
      // `connect` changes the configuration of a client, and looks for those of all clients, also in the working directory.
      const connecting: Limits = {
        ...limits,
        writable: [...limits.writable, join(home, ".codex")],
        untouched: [temporary],
      };
      const faults = new Set<string>();
      for (const traced of started) {
        const startsItself =
          /^(hook session-end|mcp|memory (import|export|reactivate)|conversation|suggestion) /.test(
            traced.label,
          );
        const ofLabel = traced.label.startsWith("connect ") ? connecting : { ...limits, startsItself };
        for (const fault of judge(await finished(traced), ofLabel)) faults.add(`${traced.label}: ${fault}`);
      }
      // The folder of the client that was connected and disconnected.
      rmSync(join(home, ".codex"), { recursive: true, force: true });
      for (const name of empty) {
        const left = readdirSync(join(root, name));
        if (left.length > 0) faults.add(`the folder ${name} is not empty: ${left.join(", ")}`);
      }
      return { faults: [...faults], processes: started.length };
    },
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}

const flushLimitMs = 20_000;

/** The tracer outlives the program for a moment. */
async function finished({ label, file }: Traced): Promise<string> {
  const deadline = Date.now() + flushLimitMs;
  while (Date.now() < deadline) {
    const trace = readFileSync(file, "latin1");
    if (isComplete(trace)) return trace;
    await Bun.sleep(50);
  }
  throw new Error(`strace did not finish the trace of ${label}`);
}
