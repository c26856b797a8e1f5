// Owns the table of settings: their names, defaults and allowed values. Flags, variables, keys of memledger.toml,
// `config print` and the table in docs/operator/CONFIGURATION.md are derived from it. Must never read a file or the environment.

import { defaultPlans, type PlanName, planNames } from "../access/plan.ts";
import {
  address,
  amount,
  choice,
  directory,
  file,
  limit,
  type Naming,
  name,
  networks,
  type Setting,
  secret,
  text,
  toggle,
  whole,
} from "./setting.ts";

export const settings = {
  dataDir: directory(
    {
      name: "data-dir",
      description: "where everything is kept; not a key of memledger.toml, which lies there",
    },
    "memledger-data",
  ),
  host: text(
    { name: "host", description: "address to listen on; 0.0.0.0 and :: accept calls from other machines" },
    "127.0.0.1",
  ),
  port: whole({ name: "port", description: "port to listen on; 0 takes any free one" }, 8420, 0, 65_535),
  trustedProxies: networks({
    name: "trusted-proxies",
    description: "proxies whose X-Forwarded-For tells the client's address",
  }),
  logLevel: choice({ name: "log-level", description: "least level of the log on stderr" }, "info", [
    "debug",
    "info",
    "warn",
    "error",
    "silent",
  ]),
  accessLog: toggle(
    {
      name: "access-log",
      description: "one line in the log for each call, at level info, without its content",
    },
    false,
  ),
  model: directory(
    { name: "model", description: "directory of another embedding model; without it the built-in one" },
    null,
  ),
  auditKey: file({
    name: "audit-key",
    description:
      "file of the Ed25519 key that signs checkpoints, in PEM; without it one in the data directory",
  }),
  payloadRetentionDays: limit(
    {
      name: "payload-retention-days",
      description: "days that bodies and texts of audit records stay, where their entries stay longer",
    },
    null,
    1,
  ),
  // As long as the longest plan that has a limit: callers without a key leave their addresses here, and plans say how long such things stay.
  installationRetentionDays: limit(
    {
      name: "installation-retention-days",
      description: "days that records of administration and of callers without a valid key stay",
    },
    365,
    1,
  ),
  embeddingThreads: whole(
    { name: "embedding-threads", description: "threads that compute one embedding" },
    1,
    1,
    64,
  ),
  searchCacheMb: whole(
    { name: "search-cache-mb", description: "memory for the vectors of recently searched projects, in MiB" },
    512,
    16,
    65_536,
  ),
  extractionCredits: whole(
    { name: "extraction-credits", description: "credits that one extraction costs" },
    1,
    0,
    1_000_000,
  ),
  chargeDryRuns: toggle(
    {
      name: "charge-dry-runs",
      description:
        "a dry run of an extraction with a language model costs as much as a run; with the built-in extractor it is always free",
    },
    true,
  ),
  creditUsd: amount(
    { name: "credit-usd", description: "what a credit is worth in US dollars, for the audit records" },
    0,
  ),
  groupCommit: toggle(
    { name: "group-commit", description: "many calls share one commit; false gives each call its own" },
    true,
  ),
  llmBaseUrl: address({
    name: "llm-base-url",
    description:
      "Chat Completions API of the language model that extracts memories; without it the built-in extractor",
  }),
  llmModel: name({ name: "llm-model", description: "name of the language model, as its server calls it" }),
  llmApiKey: secret({
    name: "llm-api-key",
    description: "key for the language model's server; local servers need none",
  }),
  llmTimeoutSeconds: whole(
    { name: "llm-timeout-seconds", description: "how long one request to the language model may take" },
    120,
    1,
    3_600,
  ),
};

/** Settings of one plan: keys of the table `[plans.NAME]` in memledger.toml only. */
function planTable(plan: PlanName) {
  const { memoryLimit, retentionDays, rate, ...features } = defaultPlans[plan];
  const naming = (key: string, description: string): Naming => ({
    name: `plans.${plan}.${key}`,
    description,
  });
  return {
    memoryLimit: limit(naming("memory-limit", "memories per project; 0: no memory"), memoryLimit, 0),
    retentionDays: limit(
      naming("retention-days", "days that audit records are kept; older ones are deleted"),
      retentionDays,
      1,
    ),
    ratePerSecond: limit(naming("rate-per-second", "calls per second and key"), rate?.perSecond ?? null, 1),
    rateBurst: limit(naming("rate-burst", "calls at once, at most"), rate?.burst ?? null, 1),
    export: toggle(naming("export", "whether audit records can be exported"), features.export),
    hash: toggle(naming("hash", "whether audit records show their hash"), features.hash),
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

/** `--search-cache-mb` */
export function flagOf({ name }: Pick<Setting<unknown>, "name">): string {
  return `--${name}`;
}

/** `MEMLEDGER_SEARCH_CACHE_MB` */
export function variableOf({ name }: Pick<Setting<unknown>, "name">): string {
  return `MEMLEDGER_${name.toUpperCase().replaceAll("-", "_")}`;
}
