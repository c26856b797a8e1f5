// Owns the table of settings: their names, defaults and allowed values. Options, variables, keys of memledger.toml, `config print` and
// the table in docs/operator/CONFIGURATION.md are derived from it. Must never read a file or the environment.

import { defaultPlans, type PlanName, planNames } from "../../access/plan.ts";
import { checkpointEveryMs, checkpointEveryRecords, exportLifeMs } from "../../platform/limits.ts";
import { confirmationSettings } from "./confirmation-settings.ts";
import { gatewaySettings } from "./gateway-settings.ts";
import { networkSettings } from "./network-settings.ts";
import { searchSettings } from "./search-settings.ts";
import {
  address,
  amount,
  choice,
  directory,
  duration,
  file,
  limit,
  type Naming,
  name,
  type Setting,
  secret,
  toggle,
  whole,
} from "./setting.ts";

export const settings = {
  dataDir: directory(
    {
      name: "data-dir",
      description:
        "data directory; mcp, hook, connect and stop use that of the user by default; cannot be set in memledger.toml, which is stored there",
    },
    "memledger-data",
  ),
  ...networkSettings,
  logLevel: choice({ name: "log-level", description: "minimum log level, on stderr" }, "info", [
    "debug",
    "info",
    "warn",
    "error",
    "silent",
  ]),
  accessLog: toggle(
    {
      name: "access-log",
      description: "log one line for each call, at level info, without its content",
    },
    false,
  ),
  model: directory(
    {
      name: "model",
      description:
        "directory of an embedding model, or the name of a built-in one; without it, the model of the data directory is used, and the first built-in one for a new data directory",
    },
    null,
  ),
  auditKey: file({
    name: "audit-key",
    description:
      "PEM file with the Ed25519 private key that signs checkpoints; without it, audit.key in the data directory",
  }),
  payloadRetentionDays: limit(
    {
      name: "payload-retention-days",
      description: "days that the payloads of audit records are kept, if their entries are kept longer",
    },
    null,
    1,
  ),
  // The longest limit of a plan: these records contain addresses of callers, which should not be kept longer than in projects.
  installationRetentionDays: limit(
    {
      name: "installation-retention-days",
      description: "days that records of administration and of calls without a valid key are kept",
    },
    365,
    1,
  ),
  backupDir: directory(
    {
      name: "backup-dir",
      description: "folder for scheduled backups, outside the data directory; without it, there are none",
    },
    null,
  ),
  backupEvery: duration(
    { name: "backup-every", description: "time between two scheduled backups, such as 30m, 6h or 7d" },
    "24h",
  ),
  backupKeep: limit(
    { name: "backup-keep", description: "number of scheduled backups that are kept; older ones are removed" },
    14,
    1,
  ),
  migrationBackup: toggle(
    {
      name: "migration-backup",
      description: "make a backup before a new version migrates the database to a new format",
    },
    true,
  ),
  exportRetentionDays: whole(
    { name: "export-retention-days", description: "days that the files of exports are kept" },
    exportLifeMs / 86_400_000,
    1,
    3_650,
  ),
  checkpointRecords: whole(
    { name: "checkpoint-records", description: "new records of a chain after which a checkpoint is signed" },
    checkpointEveryRecords,
    1,
    1_000_000,
  ),
  checkpointMinutes: whole(
    {
      name: "checkpoint-minutes",
      description: "minutes after which a checkpoint is signed if a chain has new records",
    },
    checkpointEveryMs / 60_000,
    1,
    1_440,
  ),
  ...confirmationSettings,
  ...searchSettings,
  rememberDays: whole(
    {
      name: "remember-days",
      description: "how long the passages of conversations are kept, in days; 0: for ever",
    },
    365,
    0,
    36_500,
  ),
  extractionCredits: whole(
    { name: "extraction-credits", description: "price of one extraction, in credits" },
    1,
    0,
    1_000_000,
  ),
  chargeDryRuns: toggle(
    {
      name: "charge-dry-runs",
      description:
        "charge a dry run with a language model like an extraction; a dry run with the built-in extractor is always free",
    },
    true,
  ),
  creditUsd: amount(
    { name: "credit-usd", description: "price of one credit in US dollars, for the audit records" },
    0,
  ),
  groupCommit: toggle(
    {
      name: "group-commit",
      description: "commit several calls in one transaction; false: one transaction for each call",
    },
    true,
  ),
  llmBaseUrl: address({
    name: "llm-base-url",
    description:
      "URL of the Chat Completions API that extracts memories; without it, the built-in extractor is used",
  }),
  llmModel: name({ name: "llm-model", description: "name of the language model on its server" }),
  llmApiKey: secret({
    name: "llm-api-key",
    description: "API key for the server of the language model; most local servers need none",
  }),
  llmTimeoutSeconds: whole(
    { name: "llm-timeout-seconds", description: "timeout of one request to the language model, in seconds" },
    120,
    1,
    3_600,
  ),
  llmReplaceAtOnce: toggle(
    {
      name: "llm-replace-at-once",
      description:
        "make a memory inactive at once when the language model replaces it by a newer one; false: the replacement is suggested",
    },
    false,
  ),
  ...gatewaySettings,
};

/** Settings of one plan: keys of the table `[plans.NAME]` in memledger.toml only. */
function planTable(plan: PlanName) {
  const { memoryLimit, passageLimit, retentionDays, rate, ...features } = defaultPlans[plan];
  const naming = (key: string, description: string): Naming => ({
    name: `plans.${plan}.${key}`,
    description,
  });
  return {
    memoryLimit: limit(
      naming("memory-limit", "maximum number of memories per project; 0: no memories"),
      memoryLimit,
      0,
    ),
    passageLimit: limit(
      naming(
        "passage-limit",
        "maximum number of passages of conversations per project, above which the oldest are deleted",
      ),
      passageLimit,
      0,
    ),
    retentionDays: limit(
      naming("retention-days", "days that audit records are kept, then they are deleted"),
      retentionDays,
      1,
    ),
    ratePerSecond: limit(
      naming("rate-per-second", "calls per second for each key"),
      rate?.perSecond ?? null,
      1,
    ),
    rateBurst: limit(naming("rate-burst", "maximum burst of calls"), rate?.burst ?? null, 1),
    export: toggle(naming("export", "audit records can be exported"), features.export),
    hash: toggle(naming("hash", "audit records include their hash"), features.hash),
  };
}

export const planSettings = {
  free: planTable("free"),
  basic: planTable("basic"),
  pro: planTable("pro"),
  business: planTable("business"),
  custom: planTable("custom"),
} satisfies Record<PlanName, unknown>;

export const generalSettings: readonly Setting<unknown>[] = Object.values(settings);
export const allSettings: readonly Setting<unknown>[] = [
  ...generalSettings,
  ...planNames.flatMap((plan) => Object.values(planSettings[plan])),
];

/** `--search-cache-mb`; `--gateway-cache-mb` for a key of a table */
export function flagOf({ name }: Pick<Setting<unknown>, "name">): string {
  return `--${name.replaceAll(".", "-")}`;
}

/** `MEMLEDGER_SEARCH_CACHE_MB` */
export function variableOf({ name }: Pick<Setting<unknown>, "name">): string {
  return `MEMLEDGER_${name.toUpperCase().replaceAll(/[-.]/g, "_")}`;
}
