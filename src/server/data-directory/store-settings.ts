// Owns how settings become options of a store, for the server and for administration without one. Must never open a store.

import type { StoreOptions } from "../../calls/storage/engine.ts";
import type { Config } from "../config/config.ts";

type StoreSettings = Pick<
  StoreOptions,
  | "plans"
  | "payloadRetentionDays"
  | "installationRetentionDays"
  | "checkpointInterval"
  | "exportLifeMs"
  | "logLevel"
>;

export function storeSettingsOf(config: Config): StoreSettings {
  return {
    plans: config.plans,
    payloadRetentionDays: config.payloadRetentionDays,
    installationRetentionDays: config.installationRetentionDays,
    checkpointInterval: {
      everyRecords: config.checkpointRecords,
      everyMs: config.checkpointMinutes * 60_000,
    },
    exportLifeMs: config.exportRetentionDays * 86_400_000,
    logLevel: config.logLevel,
  };
}
