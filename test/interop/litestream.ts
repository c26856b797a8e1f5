// Replicates the database of a busy server with Litestream, as docs/operator/BACKUP.md describes it, kills both, and restores the replica:
// nothing that was replicated may be lost, and the ledger must verify against a checkpoint that was kept elsewhere.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../src/platform/json/json.ts";
import { type Server, startServer } from "../crash/server.ts";
import { runProgram, type StartedProgram, startProgram } from "./programs.ts";
import type { Report } from "./report.ts";

interface Replication {
  /** Words before the name of a command. */
  readonly command: readonly string[];
  /** A new folder for everything. */
  readonly place: string;
  readonly report: Report;
}

const clients = 4;
const memoriesOfPhase = 150;
const replicatedWithinMs = 60_000;

export async function replicateWithLitestream(
  program: string,
  { command, place, report }: Replication,
): Promise<void> {
  const dataDir = join(place, "data");
  mkdirSync(place, { recursive: true });
  const config = join(place, "litestream.yml");
  writeFileSync(config, configOf(join(dataDir, "memledger.db"), join(place, "replica")));
  const replicate = () => startProgram([program, "replicate", "-config", config], { folder: place });

  let server = await startServer({ dataDir, command });
  const key = server.apiKey ?? "";
  let litestream = replicate();
  await load(server, key, "first");
  await server.kill();
  server = await startServer({ dataDir, command });
  report.claim("the server starts beside Litestream after a kill", !server.hasEnded());
  await litestream.kill();
  await load(server, key, "while Litestream is dead");
  litestream = replicate();
  await load(server, key, "last");

  const note = join(place, "kept.note");
  const signed = await run(command, place, ["audit", "checkpoint", "--data-dir", dataDir]);
  writeFileSync(note, signed.stdout);
  const restored = await restoreWhenReplicated({ program, config, command, place, dataDir, note });
  await endAll(server, litestream);
  report.claim(
    "audit verify finds everything that a checkpoint covers in the replica",
    restored.exitCode === 0,
    restored.output,
  );
  report.claim("Litestream logs no error", !/level=ERROR/.test(litestream.output()), litestream.output());

  const again = await startServer({ dataDir: restored.folder, command });
  const total = await countMemories(again, key);
  report.claim(
    "a server of the replica has every memory",
    total === 3 * memoriesOfPhase,
    `${total} of ${3 * memoriesOfPhase}`,
  );
  report.claim(
    "it ends in order, without an error",
    (await again.stop()) === 0 && !/"level":"error"/.test(again.log()),
    again.log(),
  );
}

function configOf(database: string, replica: string): string {
  return `dbs:
  - path: ${database}
    busy-timeout: 5s
    replica:
      type: file
      path: ${replica}
      sync-interval: 1s
`;
}

/** Creates memories with several clients at once. @throws Error when a call is refused */
async function load({ url }: Server, key: string, phase: string): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < memoriesOfPhase) {
      const body = JSON.stringify({ content: `Fact ${next++} of the phase ${phase}.`, memory_type: "fact" });
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const { status } = await fetch(`${url}/v1/memories`, { method: "POST", headers, body });
      if (status !== 201) throw new Error(`a call was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
}

interface Restoration {
  readonly program: string;
  readonly config: string;
  readonly command: readonly string[];
  readonly place: string;
  readonly dataDir: string;
  readonly note: string;
}

/** Litestream copies a moment later, so a restore is repeated until the checkpoint is covered. */
async function restoreWhenReplicated({ program, config, command, place, dataDir, note }: Restoration) {
  const endsAt = performance.now() + replicatedWithinMs;
  for (let attempt = 1; ; attempt++) {
    const folder = join(place, `restored-${attempt}`);
    mkdirSync(folder, { mode: 0o700 });
    const words = [
      "restore",
      "-config",
      config,
      "-o",
      join(folder, "memledger.db"),
      join(dataDir, "memledger.db"),
    ];
    const restored = await runProgram([program, ...words], { folder: place });
    for (const name of ["audit.pub", "audit.key", "checkpoints"])
      cpSync(join(dataDir, name), join(folder, name), { recursive: true });
    const verified = await run(command, place, ["audit", "verify", folder, "--checkpoint", note]);
    const isDone = restored.exitCode === 0 && verified.exitCode === 0;
    if (isDone || performance.now() > endsAt)
      return { folder, exitCode: verified.exitCode, output: `${restored.output}${verified.output}` };
    await Bun.sleep(500);
  }
}

function run(command: readonly string[], folder: string, words: readonly string[]) {
  return runProgram([...command, ...words], { folder });
}

async function endAll(server: Server, litestream: StartedProgram): Promise<void> {
  await Promise.all([server.kill(), litestream.kill()]);
}

async function countMemories({ url }: Server, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/memories?page_size=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const answer: unknown = await response.json();
  const data = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const pagination = isObject(data.pagination) ? data.pagination : {};
  return Number(pagination.total);
}
