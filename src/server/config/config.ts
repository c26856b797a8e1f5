// Owns the configuration and the order of its sources: an option of the command line, else a MEMLEDGER_* variable (of a secret also the file that a variable
// names), else memledger.toml in the data directory, else the default. Must never ignore an unknown name: it may be a typing error.

import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { Plans } from "../../access/plan.ts";
import type { Prices } from "../../access/price.ts";
import type { GatewayConfig } from "../../gateway/gateway-config.ts";
import type { Reranker } from "../../memory/search/reranker.ts";
import { suggest } from "../../platform/text/suggestion.ts";
import { dayMs } from "../../platform/time/clock.ts";
import { apiKeyVariable } from "./client-variables.ts";
import { ConfigError } from "./config-file.ts";
import { gatewayFrom } from "./gateway-config.ts";
import { gatewaySettings, upstreamTables } from "./gateway-settings.ts";
import { plansFrom } from "./plan-config.ts";
import { retiredSettings } from "./retired-settings.ts";
import { fileVariableOf } from "./secret-file.ts";
import { type Variables, withoutServices } from "./service-variables.ts";
import type { Setting } from "./setting.ts";
import { allSettings, generalSettings, settings, variableOf } from "./settings.ts";
import {
  fromFile,
  fromFlags,
  fromVariables,
  pick,
  type SettingReport,
  type Source,
  toReport,
} from "./sources.ts";
import { readUpstreams, type ValueOf } from "./upstreams.ts";

type Table = typeof settings;
type Values = { readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never };

/** Settings that are in Config in another form. */
const composed = [
  "tlsCert",
  "tlsKey",
  "rerank",
  "rerankDeadlineMs",
  "rememberDays",
  "extractionCredits",
  "chargeDryRuns",
  "creditUsd",
  "llmBaseUrl",
  "llmModel",
  "llmApiKey",
  "llmTimeoutSeconds",
  "llmReplaceAtOnce",
] as const;
type Composed = (typeof composed)[number] | keyof typeof gatewaySettings;

/** Each setting by its name in the table, and what several of them say together. Paths are absolute. */
export interface Config extends Omit<Values, Composed> {
  /** PEM files; null: without TLS. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly rerank: Omit<Reranker, "scoreTexts">;
  /** The language model that extracts memories; null: the built-in extractor. */
  readonly llm: LlmConfig | null;
  /** How long the passages of conversations are kept, in milliseconds; null: for ever. */
  readonly rememberMs: number | null;
  readonly prices: Prices;
  readonly plans: Plans;
  readonly gateway: GatewayConfig;
}

interface LlmConfig {
  /** http or https, without credentials. */
  readonly baseUrl: string;
  readonly model: string;
  /** Null: the server needs none. Never printed. */
  readonly apiKey: string | null;
  /** Timeout of one request. */
  readonly timeoutSeconds: number;
  /** Whether a memory that it replaces becomes inactive at once. */
  readonly replacesAtOnce: boolean;
}

export interface ConfigSources {
  /** Texts of flags by the setting's name. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly variables?: Variables;
  /** Whether to read memledger.toml in the data directory; default: true. */
  readonly readsFile?: boolean;
  /** The data directory if no flag and no variable names one; default: that of the settings. */
  readonly defaultDataDir?: string;
}

export interface Loaded {
  readonly config: Config;
  readonly reports: readonly SettingReport[];
  /** Names of MEMLEDGER_* variables that Kubernetes or Docker set for a service, not for this program. */
  readonly ignoredVariables: readonly string[];
  /** Settings of earlier versions that are set, as their sources call them. They have no effect. */
  readonly retired: readonly string[];
}

/** @throws ConfigError */
export function loadConfig({
  flags = {},
  variables: allVariables = {},
  readsFile = true,
  defaultDataDir,
}: ConfigSources): Loaded {
  const { variables, ignored: ignoredVariables } = withoutServices(allVariables);
  refuseUnknownVariables(variables);
  const outside: Source[] = [fromFlags(flags), fromVariables(variables)];
  const dataDir = pick(dataDirSetting(defaultDataDir), outside).value;
  const file = join(resolve(dataDir), "memledger.toml");
  const sources = readsFile ? [...outside, fromFile(file, dataDir)] : outside;
  const value = <Value>(setting: Setting<Value>): Value => pick(setting, sources).value;
  const tables = readUpstreams(value(upstreamTables), file, resolve(dataDir));
  const config: Config = {
    ...plainValues(value),
    dataDir: resolve(dataDir),
    tls: tlsFrom(value),
    embedders: Math.min(value(settings.embedders), availableParallelism()),
    rerank: { choice: value(settings.rerank), deadlineMs: value(settings.rerankDeadlineMs) },
    llm: llmFrom(value),
    rememberMs: value(settings.rememberDays) === 0 ? null : value(settings.rememberDays) * dayMs,
    prices: {
      extractionCredits: value(settings.extractionCredits),
      chargeDryRuns: value(settings.chargeDryRuns),
      creditUsd: value(settings.creditUsd),
    },
    plans: plansFrom(value),
    gateway: gatewayFrom(value, tables.upstreams),
  };
  const reports = [...allSettings.map((setting) => toReport(setting, sources)), ...tables.reports];
  const retired = retiredSettings.flatMap((setting) =>
    sources.filter((source) => source.get(setting) !== undefined).map((source) => source.describe(setting)),
  );
  return { config, reports, ignoredVariables, retired };
}

function plainValues(value: ValueOf): Omit<Values, Composed> {
  const other = new Set<string>([...composed, ...Object.keys(gatewaySettings)]);
  const plain = Object.entries(settings).filter(([name]) => !other.has(name));
  return Object.fromEntries(plain.map(([name, each]) => [name, value<unknown>(each)])) as Omit<
    Values,
    Composed
  >;
}

function dataDirSetting(fallback: string | undefined): Setting<string> {
  return fallback === undefined ? settings.dataDir : { ...settings.dataDir, default: fallback };
}

/** @throws ConfigError when only one of the two files is set */
function tlsFrom(value: ValueOf): Config["tls"] {
  const certificate = value(settings.tlsCert);
  const key = value(settings.tlsKey);
  if (certificate === null && key === null) return null;
  if (certificate === null) {
    throw new ConfigError(
      "tls-key is set, but tls-cert is not. Set the PEM file with the certificate, or unset tls-key.",
    );
  }
  if (key === null) {
    throw new ConfigError(
      "tls-cert is set, but tls-key is not. Set the PEM file with the private key, or unset tls-cert.",
    );
  }
  return { certificate, key };
}

/** @throws ConfigError when only one of the two required settings is set */
function llmFrom(value: ValueOf): LlmConfig | null {
  const baseUrl = value(settings.llmBaseUrl);
  const model = value(settings.llmModel);
  if (baseUrl === null && model === null) return null;
  if (baseUrl === null) {
    throw new ConfigError(
      "llm-model is set, but llm-base-url is not. Set the URL of the server, such as --llm-base-url http://127.0.0.1:11434/v1, or unset llm-model.",
    );
  }
  if (model === null) {
    throw new ConfigError(
      "llm-base-url is set, but llm-model is not. Set the name of the model, such as --llm-model qwen3:8b, or unset llm-base-url.",
    );
  }
  return {
    baseUrl,
    model,
    apiKey: value(settings.llmApiKey),
    timeoutSeconds: value(settings.llmTimeoutSeconds),
    replacesAtOnce: value(settings.llmReplaceAtOnce),
  };
}

const prefix = "MEMLEDGER_";

/** Variables of programs that call a server elsewhere; no settings of the server. */
const clientVariables = [apiKeyVariable, fileVariableOf(apiKeyVariable)];

function refuseUnknownVariables(variables: Variables): void {
  const known = [...generalSettings, ...retiredSettings].flatMap((setting) =>
    setting.secret ? [variableOf(setting), fileVariableOf(variableOf(setting))] : [variableOf(setting)],
  );
  const unknown = Object.keys(variables).find(
    (name) => name.startsWith(prefix) && !known.includes(name) && !clientVariables.includes(name),
  );
  if (unknown === undefined) return;
  // Compared without the common prefix, which would make all names similar.
  const near = suggest(
    unknown.slice(prefix.length),
    known.map((name) => name.slice(prefix.length)),
  );
  throw new ConfigError(
    near === null
      ? `Unknown environment variable ${unknown}. Unset it, or use one of ${known.join(", ")}. Plans are set in memledger.toml, and so are upstreams of the gateway.`
      : `Unknown environment variable ${unknown}. Did you mean ${prefix}${near}?`,
  );
}
