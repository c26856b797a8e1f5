// Owns what is sent about one project, or about the installation, to everybody who watches it: the calls over time, the newest record,
// limits and exports. It is read once for all of them, and only if something has happened.

import type { Plans } from "../../../../access/plan.ts";
import type { CallHistory } from "../../../../calls/statistics/call-history.ts";
import type { ChainContents, StoreStatistics } from "../../../../calls/storage/statistics.ts";
import type { Clock } from "../../../../platform/time/clock.ts";
import { quietProjectEveryMs } from "./limits.ts";
import { toExports, toMemoryCounts, toProjectState } from "./project-state.ts";

export type LiveEvent = "figures" | "state" | "project" | "memories" | "records" | "exports" | "session";

export interface Message {
  readonly event: LiveEvent;
  /** JSON text. */
  readonly data: string;
}

export interface WatchOptions {
  readonly history: CallHistory;
  readonly statistics: Pick<StoreStatistics, "ofChain">;
  readonly plans: Plans;
  readonly clock: Clock;
}

export interface Watched extends Disposable {
  /** Id; null: the installation. */
  readonly project: string | null;
  /** Everything that is known, for somebody who begins to watch. */
  known(): readonly Message[];
  /** Sends what has changed since the last time: figures at once, the rest when it is read. Never rejects. */
  sendChanges(send: (message: Message) => void): Promise<void>;
}

export function createWatched(
  project: string | null,
  { history, statistics, plans, clock }: WatchOptions,
): Watched {
  const watch = project === null ? null : history.watch(project);
  const calls = watch ?? history.installation;
  /** What was sent last. */
  const sent = { calls: calls.calls(), step: calls.step(), since: calls.since() };
  /** The last message of each event about what the database contains. */
  const contents = new Map<LiveEvent, Message>();
  let read: { readonly calls: number; readonly atMs: number; readonly isBusy: boolean } | null = null;
  let isReading = false;

  const figures = (fromStep: number): Message => ({
    event: "figures",
    data: JSON.stringify({ project, ...calls.read(fromStep) }),
  });
  const isDue = (): boolean =>
    read === null ||
    read.isBusy ||
    read.calls !== calls.calls() ||
    clock.elapsed() - read.atMs >= quietProjectEveryMs;
  const describe = (found: ChainContents): readonly Message[] => {
    const records: Message = {
      event: "records",
      data: JSON.stringify({ project, newest_sequence: found.newestSequence }),
    };
    if (project === null) return [records];
    const state = { project: toProjectState(project, found, plans) };
    const memories = { project, memories: toMemoryCounts(found) };
    const exports = { project, exports: toExports(found, clock.now()) };
    return [
      { event: "project", data: JSON.stringify(state) },
      { event: "memories", data: JSON.stringify(memories) },
      records,
      { event: "exports", data: JSON.stringify(exports) },
    ];
  };
  const readContents = async (send: (message: Message) => void): Promise<void> => {
    const callsBefore = calls.calls();
    const found = await statistics.ofChain(project === null ? null : { id: project });
    if (found === null) return;
    const isBusy = found.exports.some(({ status }) => status === "processing");
    read = { calls: callsBefore, atMs: clock.elapsed(), isBusy };
    for (const message of describe(found)) {
      if (contents.get(message.event)?.data === message.data) continue;
      contents.set(message.event, message);
      send(message);
    }
  };

  return {
    project,
    known: () => [figures(0), ...contents.values()],
    async sendChanges(send) {
      const [count, step] = [calls.calls(), calls.step()];
      if (count !== sent.calls || step !== sent.step) {
        // Calls of before the start are counted later than others.
        send(figures(sent.since === calls.since() ? sent.step : 0));
        sent.since = calls.since();
        sent.calls = count;
        sent.step = step;
      }
      if (isReading || !isDue()) return;
      isReading = true;
      try {
        await readContents(send);
      } catch {
        // The thread that reads restarts, or the disk fails: the state of the installation says so. It is read again a second later.
      } finally {
        isReading = false;
      }
    },
    [Symbol.dispose]: () => watch?.[Symbol.dispose](),
  };
}
