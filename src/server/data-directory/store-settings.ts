// Owns how settings become options of a store, for the server and for administration without one. Must never open a store.

import type { StoreOptions } from "../../calls/storage/engine.ts";
import type { Config } from "../config/config.ts";

export function storeSettingsOf(config: Config) {
  const { plans, payloadRetentionDays, installationRetentionDays, logLevel } = config;
  return {
    plans,
    payloadRetentionDays,
    installationRetentionDays,
    logLevel,
    checkpointInterval: {
      everyRecords: config.checkpointRecords,
      everyMs: config.checkpointMinutes * 60_000,
    },
    exportLifeMs: config.exportRetentionDays * 86_400_000,
  } satisfies Partial<StoreOptions>;
}
