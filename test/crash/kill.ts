// Kills the server in the middle of mixed load, again and again, and checks after each restart what clients were told.

import { locate } from "../../src/server/data-directory/data-directory.ts";
import { findFaults } from "./check.ts";
import { type Call, createLoad, createRandom } from "./load.ts";
import { fromSource, startAndKill, startServer, temporaryFolder } from "./server.ts";
import { findVerdict } from "./verify.ts";

interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Words before `serve`. */
  readonly command?: readonly string[];
}

interface KillReport {
  readonly kills: number;
  readonly answered: number;
  /** Calls whose connection broke: they may have happened or not. */
  readonly unanswered: number;
  readonly faults: readonly string[];
}

const clients = 8;
const leastAnswers = 10;
const longestRoundMs = 400;
const longestEndMs = 30;
const longestStartMs = 600;

/** Stops at the first round with faults. */
export async function killRepeatedly({
  kills,
  seed,
  command = fromSource,
}: KillOptions): Promise<KillReport> {
  using folder = temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const random = createRandom(seed);
  const load = createLoad(seed);
  let key = "";
  let faults: string[] = [];
  let done = 0;
  while (done < kills && faults.length === 0) {
    const server = await startServer({ dataDir, command });
    key = server.apiKey ?? key;
    const target = { url: server.url, key };
    // What the kill before left is checked while the server is up again: that is what its users see.
    faults = findFaults(locate(dataDir).database, load.calls);
    let isOver = false;
    const running = load.run(target, { clients, isOver: () => isOver });
    const before = countAnswered(load.calls);
    await Bun.sleep(20 + random() * longestRoundMs);
    // However busy the machine is, a kill without answers before it proves nothing.
    while (countAnswered(load.calls) < before + leastAnswers && !server.hasEnded()) await Bun.sleep(5);
    // Every third is killed while it already ends in order.
    if (done % 3 === 2) {
      void server.stop();
      await Bun.sleep(random() * longestEndMs);
    }
    await server.kill();
    isOver = true;
    await running;
    done += 1;
    // And every third is killed once more while it starts again.
    if (done % 3 === 1) await startAndKill({ dataDir, command }, random() * longestStartMs);
  }
  const server = await startServer({ dataDir, command });
  const last = await load.send({ url: server.url, key }, "memory.create");
  if (last.status !== 201) faults.push(`after the last restart a call was answered ${last.status}`);
  await server.stop();
  faults.push(...findFaults(locate(dataDir).database, load.calls), ...(await findVerdict(command, dataDir)));
  const answered = countAnswered(load.calls);
  return { kills: done, answered, unanswered: load.calls.length - answered, faults };
}

function countAnswered(calls: readonly Call[]): number {
  return calls.filter(({ status }) => status !== null).length;
}
