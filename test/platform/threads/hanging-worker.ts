// Starts real worker threads that a test can make hang: in a loop that never ends, or inside a system call that ends when the test says so.

import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type WorkerName, workerEntries } from "../../../src/platform/threads/spawn.ts";

const source = join(import.meta.dir, "../../../src");

/** `loop`: in JavaScript. `locked`: the same while the thread's own connection has locked the database. `read`: in a read of a named pipe. */
type Hang = { readonly hang: "loop" | "locked" } | { readonly hang: "read"; readonly pipe: string };

/** Runs `entry`, an absolute path, in a thread that hangs after it gets a Hang. */
export function spawnEntry(entry: string, init: unknown): Worker {
  const script = `
    import { readFileSync } from "node:fs";
    import { parentPort, workerData } from "node:worker_threads";
    import { openDatabase } from ${JSON.stringify(join(source, "platform/native/sqlite.ts"))};
    // First: the first listener gets the messages that wait, and they are meant for the entry file.
    await import(${JSON.stringify(entry)});
    parentPort.on("message", ({ hang, pipe }) => {
      if (hang !== undefined) parentPort.postMessage({ hangs: true });
      if (hang === "locked") openDatabase(workerData.file.path, workerData.file.runtime).exec("BEGIN IMMEDIATE");
      if (hang === "loop" || hang === "locked") for (;;);
      if (hang === "read") readFileSync(pipe);
    });
  `;
  return new Worker(script, { eval: true, workerData: init });
}

/** The program's thread of this name. */
export function spawnHanging(name: WorkerName, init: unknown): Worker {
  return spawnEntry(join(source, workerEntries[name]), init);
}

/** Resolves right before the worker hangs. */
export function hang(worker: Worker | undefined, how: Hang): Promise<void> {
  return new Promise((resolve) => {
    worker?.on("message", (message: object) => {
      if ("hangs" in message) resolve();
    });
    worker?.postMessage(how);
  });
}

/** A named pipe for `hang: "read"`. */
export function createPipe(path: string): { readonly pipe: string; release(): void } {
  const made = Bun.spawnSync(["mkfifo", path]);
  if (made.exitCode !== 0) throw new Error("mkfifo failed");
  // Opened for both, so that this thread never waits for a reader.
  const file = openSync(path, "r+");
  return { pipe: path, release: () => closeSync(file) };
}
