// The ways to take the disk away from a running server: errors by strace, a file size limit, a file system that is full.

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import type { Server } from "./server.ts";

/** A way to lose the disk. */
export interface DiskFault {
  /** Words before the command of the server. */
  readonly wrapper?: readonly string[];
  /** Gives the folder in which the data directory is made; undone by the result. */
  prepare?(folder: string): () => void;
  /** From here on the disk fails, until the result is called. */
  begin(server: Server, dataDir: string): Promise<() => Promise<void>>;
}

/** Every system call of this name on the database answers with an error, while strace is attached. */
export function failing(calls: string, error: string, when = ""): DiskFault {
  return {
    begin({ pid }, dataDir) {
      const { database } = locate(dataDir);
      const paths = ["", "-wal", "-shm", "-journal"].map((suffix) => `${database}${suffix}`);
      return failCalls(pid, `${calls}:error=${error}${when}`, paths);
    },
  };
}

/**
 * Injects errors into system calls of a process, which may be this one, until the result is called.
 * @param injection as strace writes it, such as `write,fsync:error=EIO`
 * @param paths the files and folders whose calls fail; empty: all
 */
export async function failCalls(
  pid: number,
  injection: string,
  paths: readonly string[],
): Promise<() => Promise<void>> {
  const [calls = ""] = injection.split(":");
  const filters = [...paths.flatMap((path) => ["-P", path]), "-e", `trace=${calls}`];
  const words = ["strace", "-f", "-p", `${pid}`, "-o", "/dev/null", ...filters, "-e", `inject=${injection}`];
  const tracer = Bun.spawn(words, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  await attached(tracer.stderr);
  return async () => {
    tracer.kill("SIGINT");
    await tracer.exited;
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

/** Why no file system can be mounted here; null when it can. */
export function whyNoMount(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root may mount";
  const { exitCode } = Bun.spawnSync(["unshare", "--mount", "true"], { stderr: "ignore" });
  return exitCode === 0 ? null : "this container may not mount";
}
