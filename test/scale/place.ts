// Owns the data directory of the proof at scale: fills it, starts servers on it, loads them and judges what they leave. Linux only. Must never
// end a process that it did not start.

import { fillScale } from "../../bench/scale-fill.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findLostMemories, findRemainingMemories } from "../crash/kept-memories.ts";
import type { Target } from "../crash/load.ts";
import { type Server, startServer } from "../crash/server.ts";
import { findLeftovers } from "../soak/leftovers.ts";
import { readUsage } from "../soak/processes.ts";
import { comparedTexts } from "./comparisons.ts";
import type { MixedLoad } from "./mixed-load.ts";

const clients = 6;
const sampleEveryMs = 500;

interface UseOptions {
  readonly key: string;
  readonly minutes: number;
  /** Gets the measurements, in MB. */
  readonly resident: number[];
  readonly endsByKill: boolean;
}

/** The data directory with what was seen in it. */
export class Place {
  readonly dataDir: string;
  readonly faults: string[] = [];
  readonly #command: readonly string[];

  constructor(dataDir: string, command: readonly string[]) {
    this.dataDir = dataDir;
    this.#command = command;
  }

  async fill(memories: number) {
    const { projects } = await fillScale(this.dataDir, [
      { name: "large", size: memories },
      { name: "queries", size: 0 },
    ]);
    const [large, queries] = projects;
    if (large === undefined || queries === undefined) throw new Error("Nothing was filled.");
    return [large, queries] as const;
  }

  start(flags: readonly string[] = []): Promise<Server> {
    return startServer({ dataDir: this.dataDir, command: this.#command, flags });
  }

  async stop(server: Server): Promise<void> {
    const code = await server.stop();
    if (code !== 0) this.faults.push(`the server ended with ${code}`);
    this.#requireSilence(server);
  }

  #requireSilence(server: Server): void {
    if (server.log() !== "") this.faults.push(`the server has logged ${server.log().slice(0, 500)}`);
  }

  /** Stores the texts as memories, and reads their vectors. */
  async findVectors(
    { url, key }: Target,
    projectId: string,
    seed: number,
  ): Promise<Map<string, Float32Array>> {
    for (const content of comparedTexts(seed)) {
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const body = JSON.stringify({ content, memory_type: "fact" });
      const response = await fetch(`${url}/v1/memories`, { method: "POST", headers, body });
      if (response.status !== 201) throw new Error(`A text was answered ${response.status}.`);
    }
    const database = openReading({
      path: locate(this.dataDir).database,
      runtime: prepareRuntime("unused-from-source"),
    });
    try {
      const rows = database
        .prepare<[string], { content: string; embedding: Uint8Array }>(
          "SELECT content, embedding FROM memory JOIN memory_vector ON memory = memory.serial JOIN project ON project.serial = project WHERE project.id = ?",
        )
        .all(projectId);
      return new Map(
        rows.map(({ content, embedding }) => [content, new Float32Array(new Uint8Array(embedding).buffer)]),
      );
    } finally {
      database.close();
    }
  }

  /** Mixed load, and the resident memory meanwhile. A kill meets calls that are not answered yet. */
  async use(server: Server, load: MixedLoad, options: UseOptions): Promise<void> {
    const { key, minutes, resident, endsByKill } = options;
    const endAt = Date.now() + minutes * 60_000;
    let isOver = false;
    const erase = (id: string) => this.#erase(id, server);
    const using = load.run({ url: server.url, key }, { clients, isOver: () => isOver, erase });
    while (Date.now() < endAt && !server.hasEnded()) {
      const usage = readUsage(server.pid);
      if (usage !== null) resident.push((usage.residentMiB * 1_024 ** 2) / 1e6);
      await Bun.sleep(sampleEveryMs);
    }
    if (server.hasEnded()) this.faults.push(`the server ended: ${server.log().slice(0, 500)}`);
    if (endsByKill) {
      await server.kill();
      this.#requireSilence(server);
    }
    isOver = true;
    await using;
  }

  /** As an operator does. */
  async #erase(id: string, server: Server): Promise<void> {
    const words = ["audit", "redact", "--memory", id, "--delete-memory", "--yes", "--data-dir", this.dataDir];
    const child = Bun.spawn([...this.#command, ...words], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const [code, log] = await Promise.all([child.exited, child.stderr.text()]);
    if (code === 0) return;
    // The kill may come between.
    if (!server.hasEnded()) this.faults.push(`an erasure ended with ${code}: ${log.slice(0, 300)}`);
    throw new Error("not erased");
  }

  judgeEnd(load: MixedLoad): void {
    // First: whoever reads the database makes files beside it.
    this.faults.push(...findLeftovers(this.dataDir));
    const { database } = locate(this.dataDir);
    this.faults.push(
      ...findLostMemories(database, load.kept),
      ...findRemainingMemories(database, load.deleted),
      ...load.faults(),
    );
  }
}
