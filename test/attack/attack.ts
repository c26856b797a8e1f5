// Owns the course of an attack on what projects share: a server, a project that attacks and one that works, before and during it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAll, startServer, temporaryFolder } from "../crash/server.ts";
import { type Prepare, startFakeUpstream } from "../gateway/fake-upstream.ts";
import { compare, openProject, type Send, work } from "./victim.ts";

export interface Attack {
  /** Goes on until `signal` is aborted; counts what it has done. */
  run(send: Send, signal: AbortSignal): Promise<number>;
  /** What is counted, for people. */
  readonly unit: string;
  /** What an upstream of the gateway answers; absent: there is no upstream. */
  readonly upstream?: Prepare;
}

/** @returns what was seen, and each call of the other project that was refused. */
export async function measure(attack: Attack, seconds: number): Promise<{ seen: string; faults: string[] }> {
  using folder = temporaryFolder();
  await using upstream = await startFakeUpstream();
  upstream.answerWith(attack.upstream ?? null);
  const table = `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\n`;
  if (attack.upstream !== undefined) writeFileSync(join(folder.path, "memledger.toml"), table);
  const server = await startServer({ dataDir: folder.path });
  const attacker = await openProject(folder.path, server.url, "attacker");
  const other = await openProject(folder.path, server.url, "other");
  const idle = await work(other, after((seconds * 1_000) / 4));
  const stop = new AbortController();
  const attacking = attack.run(attacker, stop.signal);
  const busy = await work(other, after(seconds * 1_000));
  stop.abort();
  const count = await attacking;
  await server.stop();
  return { seen: `${compare(idle, busy)}; ${count} ${attack.unit}`, faults: [...busy.refusals] };
}

function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}

/** Prints one attack: bun test/attack/NAME.ts [seconds] */
export async function print(attack: Attack): Promise<void> {
  try {
    const { seen, faults } = await measure(attack, Number(process.argv[2] ?? 20));
    process.stdout.write(`${[seen, ...faults.slice(0, 5)].join("\n")}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await killAll();
  }
}
