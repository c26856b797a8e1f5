// Owns the table of settings: their names, defaults and allowed values. Flags, variables, keys of memledger.toml,
// `config print` and the README's table are derived from it. Must never read a file or the environment.

import { isIP } from "node:net";
import { resolve } from "node:path";
import { defaultPlans, type PlanName, planNames } from "./access/plan.ts";

export interface Setting<Value> {
  /** `search-cache-mb`, or `plans.pro.hash` for a key of a table. */
  readonly name: string;
  readonly default: Value;
  /** Completes the sentence "It must be ...". */
  readonly expectation: string;
  readonly description: string;
  /** How `--help` calls the value. */
  readonly placeholder: string;
  /** Never printed. */
  readonly secret: boolean;
  /** The value that a text or a TOML value stands for, or undefined. Relative paths start at `base`. */
  read(raw: unknown, base: string): Value | undefined;
}

type Naming = Readonly<{ name: string; description: string; secret?: boolean }>;

function setting<Value>(
  naming: Naming,
  fallback: Value,
  kind: Pick<Setting<Value>, "expectation" | "placeholder" | "read">,
): Setting<Value> {
  return { secret: false, ...naming, default: fallback, ...kind };
}

function text(naming: Naming, fallback: string): Setting<string> {
  return setting(naming, fallback, {
    expectation: "a text without spaces",
    placeholder: "text",
    read: (raw) => (typeof raw === "string" && /^[^\s]+$/.test(raw) ? raw : undefined),
  });
}

function path<Fallback extends string | null>(
  naming: Naming,
  fallback: Fallback,
): Setting<string | Fallback> {
  return setting<string | Fallback>(naming, fallback, {
    expectation: "the path of a directory",
    placeholder: "dir",
    read: (raw, base) =>
      typeof raw === "string" && raw.trim() !== "" && !raw.includes("\0") ? resolve(base, raw) : undefined,
  });
}

function whole(naming: Naming, fallback: number, minimum: number, maximum: number): Setting<number> {
  return setting(naming, fallback, {
    expectation: `a whole number from ${minimum} to ${maximum}`,
    placeholder: "number",
    read: (raw) => readWhole(raw, minimum, maximum),
  });
}

/** Null stands for "unlimited". */
function limit(naming: Naming, fallback: number | null, minimum: number): Setting<number | null> {
  const maximum = 1_000_000_000;
  return setting(naming, fallback, {
    expectation: `a whole number from ${minimum} to ${maximum}, or "unlimited"`,
    placeholder: "number|unlimited",
    read: (raw) => (raw === "unlimited" ? null : readWhole(raw, minimum, maximum)),
  });
}

function toggle(naming: Naming, fallback: boolean): Setting<boolean> {
  const meanings = new Map<unknown, boolean>([
    [true, true],
    ["true", true],
    ["on", true],
    [false, false],
    ["false", false],
    ["off", false],
  ]);
  return setting(naming, fallback, {
    expectation: "true or false",
    placeholder: "true|false",
    read: (raw) => meanings.get(raw),
  });
}

function choice<const Values extends readonly string[]>(
  naming: Naming,
  fallback: Values[number],
  values: Values,
): Setting<Values[number]> {
  return setting(naming, fallback, {
    expectation: `one of ${values.join(", ")}`,
    placeholder: values.join("|"),
    read: (raw): Values[number] | undefined => values.find((value) => value === raw),
  });
}

/** Addresses or networks, separated by commas. */
function networks(naming: Naming): Setting<readonly string[]> {
  return setting<readonly string[]>(naming, [], {
    expectation: "addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8",
    placeholder: "list",
    read: (raw) => {
      const parts = typeof raw === "string" ? raw.split(",").map((part) => part.trim()) : raw;
      if (!Array.isArray(parts)) return undefined;
      return parts.every((part) => typeof part === "string" && isNetwork(part)) ? parts : undefined;
    },
  });
}

function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function readWhole(raw: unknown, minimum: number, maximum: number): number | undefined {
  const number = typeof raw === "string" && /^\d{1,15}$/.test(raw) ? Number(raw) : raw;
  const isValid = typeof number === "number" && Number.isInteger(number);
  return isValid && number >= minimum && number <= maximum ? number : undefined;
}

export const settings = {
  dataDir: path(
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
  model: path(
    { name: "model", description: "directory of another embedding model; without it the built-in one" },
    null,
  ),
  auditKey: path(
    {
      name: "audit-key",
      description:
        "file of the Ed25519 key that signs checkpoints, in PEM; without it one in the data directory",
    },
    null,
  ),
  payloadRetentionDays: limit(
    {
      name: "payload-retention-days",
      description: "days that bodies and texts of audit records stay, where their entries stay longer",
    },
    null,
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
  groupCommit: toggle(
    { name: "group-commit", description: "many calls share one commit; false gives each call its own" },
    true,
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
    retentionDays: limit(naming("retention-days", "days that audit records stay readable"), retentionDays, 1),
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
