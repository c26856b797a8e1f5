// Takes the disk away from a running server for a while, in several ways, and checks what is answered meanwhile and afterwards.

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { locate } from "../../src/data-directory.ts";
import { isObject, type Json } from "../../src/json.ts";
import { findFaults } from "./check.ts";
import { type Action, actions, type Call, createLoad, type Load, type Target } from "./load.ts";
import { fromSource, type Server, startServer, temporaryFolder } from "./server.ts";
import { findVerdict } from "./verify.ts";

/** A way to lose the disk. */
export interface DiskFault {
  /** Words before the command of the server. */
  readonly wrapper?: readonly string[];
  /** Gives the folder in which the data directory is made; undone by the result. */
  prepare?(folder: string): () => void;
  /** From here on the disk fails, until the result is called. */
  begin(server: Server, dataDir: string): Promise<() => Promise<void>>;
}

export interface FaultReport {
  readonly faults: readonly string[];
  readonly refusedMeanwhile: number;
  readonly recoveredAfterMs: number;
}

export interface FaultOptions {
  readonly fault: DiskFault;
  readonly seed: number;
  readonly command?: readonly string[];
  /** Ends the server by a kill while the disk still fails. */
  readonly killMeanwhile?: boolean;
  /** Starts it again after that kill, still without a disk. */
  readonly restartMeanwhile?: boolean;
  /** The disk fails now and then only, so that calls may succeed meanwhile. */
  readonly isIntermittent?: boolean;
}

const recoveryLimitMs = 10_000;

export async function runFault({
  fault,
  seed,
  command = fromSource,
  killMeanwhile = false,
  restartMeanwhile = false,
  isIntermittent = false,
}: FaultOptions): Promise<FaultReport> {
  using folder = temporaryFolder();
  const undo = fault.prepare?.(folder.path);
  try {
    const dataDir = join(folder.path, "data");
    const load = createLoad(seed);
    const server = await startServer({ dataDir, command, wrapper: fault.wrapper ?? [] });
    const target = { url: server.url, key: server.apiKey ?? "" };
    await load.run(target, { clients: 4, calls: 60 });
    const faults: string[] = [];
    const end = await fault.begin(server, dataDir);
    const before = load.calls.length;
    await load.run(target, { clients: 8, calls: 80 });
    const refuse = async (at: Target, action: Action) => {
      const call = await load.send(at, action);
      if (!isIntermittent) faults.push(...judgeRefused(call));
    };
    for (const action of actions) await refuse(target, action);
    faults.push(...(await judgeHealth(server)), ...(await judgeOffline(command, dataDir)));
    let recoveredAfterMs = 0;
    if (killMeanwhile) {
      // The last thing before the kill: nothing else has overwritten what it left.
      await refuse(target, "memory.create");
      await server.kill();
    }
    if (killMeanwhile && restartMeanwhile) {
      const second = await startServer({ dataDir, command });
      await refuse({ ...target, url: second.url }, "memory.create");
      await second.kill();
    }
    const refusedMeanwhile = load.calls.slice(before).filter(({ code }) => code === 1503).length;
    await end();
    if (!killMeanwhile) {
      recoveredAfterMs = await recover(server, target, load);
      await load.run(target, { clients: 4, calls: 60 });
      if (server.hasEnded()) faults.push("the server ended");
      if (recoveredAfterMs > recoveryLimitMs) faults.push("the server did not recover");
      await server.kill();
    }
    const again = await startServer({ dataDir, command });
    await again.stop();
    faults.push(
      ...findFaults(locate(dataDir).database, load.calls),
      ...(await findVerdict(command, dataDir)),
    );
    return { faults, refusedMeanwhile, recoveredAfterMs };
  } finally {
    undo?.();
  }
}

function judgeRefused({ action, status, code }: Call): string[] {
  if (status === 503 && code === 1503) return [];
  return [`without a disk ${action} was answered ${status} with code ${code}`];
}

const healthLimitMs = 2_000;

/** Live answers 200; ready answers 200, or 503 with a reason. */
async function judgeHealth({ url }: Server): Promise<string[]> {
  const faults: string[] = [];
  for (const [path, allowed] of [
    ["/health/live", [200]],
    ["/health/ready", [200, 503]],
  ] as const) {
    const begun = performance.now();
    const response = await fetch(`${url}${path}`);
    const envelope: Json = JSON.parse(await response.text());
    const isRight = allowed.some((status) => status === response.status) && isObject(envelope);
    if (!isRight) faults.push(`without a disk ${path} answered ${response.status}`);
    if (performance.now() - begun > healthLimitMs) faults.push(`without a disk ${path} was slow`);
  }
  return faults;
}

/** The commands that an operator needs now. The doctor may find the disk ill, but must say so in its usual form. */
async function judgeOffline(command: readonly string[], dataDir: string): Promise<string[]> {
  const commands: readonly (readonly [words: readonly string[], allowed: readonly number[]])[] = [
    [["version"], [0]],
    [["config", "print", "--data-dir", dataDir], [0]],
    [
      ["doctor", "--data-dir", dataDir],
      [0, 1],
    ],
  ];
  const faults: string[] = [];
  for (const [words, allowed] of commands) {
    const child = Bun.spawn([...command, ...words, "--json"], { stdout: "pipe", stderr: "ignore" });
    const [code, output] = await Promise.all([child.exited, new Response(child.stdout).text()]);
    if (!allowed.includes(code) || !isObjectText(output))
      faults.push(`without a disk ${words[0]} ended with ${code}: ${output}`);
  }
  return faults;
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value);
  } catch {
    return false;
  }
}

/** Milliseconds until a call succeeds again. */
async function recover(server: Server, target: Target, load: Load): Promise<number> {
  const begun = performance.now();
  const probe: Action = "memory.create";
  while (performance.now() - begun <= recoveryLimitMs && !server.hasEnded()) {
    if ((await load.send(target, probe)).status === 201) break;
    await Bun.sleep(20);
  }
  return performance.now() - begun;
}

/** Every system call of this name on the database answers with an error, while strace is attached. */
export function failing(calls: string, error: string, when = ""): DiskFault {
  return {
    async begin({ pid }, dataDir) {
      const { database } = locate(dataDir);
      const files = ["", "-wal", "-shm", "-journal"].flatMap((suffix) => ["-P", `${database}${suffix}`]);
      const inject = `inject=${calls}:error=${error}${when}`;
      const words = [
        "strace",
        "-f",
        "-p",
        `${pid}`,
        "-o",
        "/dev/null",
        ...files,
        "-e",
        `trace=${calls}`,
        "-e",
        inject,
      ];
      const tracer = Bun.spawn(words, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
      await attached(tracer.stderr);
      return async () => {
        tracer.kill("SIGINT");
        await tracer.exited;
      };
    },
  };
}

async function attached(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader();
  let text = "";
  while (!text.includes("attached")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`strace could not attach: ${text}`);
    text += new TextDecoder().decode(value);
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  await Bun.sleep(50);
}

/** No file may grow or be written: the portable way to a full disk. Exceeding the limit must not end the process by a signal. */
export const noFileMayGrow: DiskFault = {
  wrapper: ["sh", "-c", `trap '' XFSZ; exec "$@"`, "sh"],
  async begin({ pid }) {
    limitFiles(pid, "0");
    return async () => limitFiles(pid, "unlimited");
  },
};

function limitFiles(pid: number, soft: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", `${pid}`, `--fsize=${soft}:unlimited`]);
  if (exitCode !== 0) throw new Error(`prlimit failed: ${stderr}`);
}

const smallDisk = "size=24m";

/** A file system of its own that another file fills up. */
export const fullFileSystem: DiskFault = {
  prepare(folder) {
    mkdirSync(folder, { recursive: true });
    const { exitCode, stderr } = Bun.spawnSync([
      "mount",
      "-t",
      "tmpfs",
      "-o",
      smallDisk,
      "memledger-test",
      folder,
    ]);
    if (exitCode !== 0) throw new Error(`mount failed: ${stderr}`);
    return () => void Bun.spawnSync(["umount", "-l", folder]);
  },
  async begin(_, dataDir) {
    const filler = join(dataDir, "..", "filler");
    const file = openSync(filler, "w");
    try {
      for (const size of [1 << 20, 4096]) fill(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
    return async () => rmSync(filler);
  },
};

function fill(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) === block.length);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
