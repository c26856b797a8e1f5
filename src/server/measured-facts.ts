// Owns the facts that the metrics and the overview of the console have in common, and how this server gathers them.

import { readBackupState } from "../calls/operations/backups/last-backup.ts";
import type { CurrentStatistics } from "../calls/storage/statistics.ts";
import type { Store } from "../calls/storage/store.ts";
import type { Readers } from "../platform/statistics/source.ts";
import type { Supervisor } from "../platform/threads/supervisor.ts";
import type { SlowFacts } from "../transports/http/console/overview/facts.ts";
import type { Readiness } from "../transports/http/health.ts";
import { readDisk } from "./metrics/process-facts.ts";

export type MeasuredFacts = Pick<
  SlowFacts,
  "readiness" | "disk" | "files" | "groups" | "searches" | "backups"
>;

interface Parts {
  readonly store: Pick<Store, "statistics">;
  readonly readiness: Readiness;
}

export function measuredReaders(
  dataDir: string,
  { store: { statistics }, readiness }: Parts,
): Readers<MeasuredFacts> {
  return {
    readiness,
    disk: () => readDisk(dataDir),
    files: () => statistics.files(),
    groups: () => statistics.groups(),
    searches: () => statistics.searches(),
    backups: async () => readBackupState(dataDir),
  };
}

/** Of all threads. */
export function restartsOf(
  { statistics }: Pick<Store, "statistics">,
  supervisor: Pick<Supervisor, "restarts">,
): CurrentStatistics["restarts"] {
  const own = [...supervisor.restarts()].map(([thread, restarts]) => ({ thread, restarts }));
  return [...statistics.current().restarts, ...own];
}
