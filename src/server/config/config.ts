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
import { upstreamTables } from "./gateway-settings.ts";
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
import { readUpstreams } from "./upstreams.ts";

export interface Config {
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Absolute paths of PEM files; null: without TLS. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  /** Null: a background server never ends by itself. */
  readonly backgroundIdleMinutes: number | null;
  /** Null: metrics are not served. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  readonly metricsProjects: boolean;
  /** Whether the console is served. */
  readonly console: boolean;
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | null;
  readonly logLevel: (typeof settings.logLevel)["default"];
  readonly accessLog: boolean;
  /** An absolute path, whose last part may be the name of a built-in model; null: that of the data directory. */
  readonly model: string | null;
  /** Absolute; null: the key in the data directory. */
  readonly auditKey: string | null;
  /** Null: payloads are kept as long as their entries. */
  readonly payloadRetentionDays: number | null;
  readonly installationRetentionDays: number | null;
  readonly exportRetentionDays: number;
  readonly checkpointRecords: number;
  readonly checkpointMinutes: number;
  readonly idleTimeoutSeconds: number;
  readonly shutdownGraceSeconds: number;
  /** Absolute; null: no scheduled backups. */
  readonly backupDir: string | null;
  readonly backupEvery: string;
  readonly backupKeep: number | null;
  readonly migrationBackup: boolean;
  readonly embedders: number;
  readonly embeddingThreads: number;
  readonly rerank: Omit<Reranker, "judge">;
  readonly searchCacheMb: number;
  /** Null: as many as the machine has processors, within a limit. */
  readonly searchThreads: number | null;
  readonly groupCommit: boolean;
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
    dataDir: resolve(dataDir),
    host: value(settings.host),
    port: value(settings.port),
    publicUrl: value(settings.publicUrl),
    tls: tlsFrom(value),
    backgroundIdleMinutes: value(settings.backgroundIdleMinutes),
    metricsPort: value(settings.metricsPort),
    metricsHost: value(settings.metricsHost),
    metricsProjects: value(settings.metricsProjects),
    console: value(settings.console),
    trustedProxies: value(settings.trustedProxies),
    allowedHosts: value(settings.allowedHosts),
    allowedOrigins: value(settings.allowedOrigins),
    corsOrigins: value(settings.corsOrigins),
    logLevel: value(settings.logLevel),
    accessLog: value(settings.accessLog),
    model: value(settings.model),
    auditKey: value(settings.auditKey),
    payloadRetentionDays: value(settings.payloadRetentionDays),
    installationRetentionDays: value(settings.installationRetentionDays),
    exportRetentionDays: value(settings.exportRetentionDays),
    checkpointRecords: value(settings.checkpointRecords),
    checkpointMinutes: value(settings.checkpointMinutes),
    idleTimeoutSeconds: value(settings.idleTimeoutSeconds),
    shutdownGraceSeconds: value(settings.shutdownGraceSeconds),
    backupDir: value(settings.backupDir),
    backupEvery: value(settings.backupEvery),
    backupKeep: value(settings.backupKeep),
    migrationBackup: value(settings.migrationBackup),
    embedders: Math.min(value(settings.embedders), availableParallelism()),
    embeddingThreads: value(settings.embeddingThreads),
    rerank: { choice: value(settings.rerank), deadlineMs: value(settings.rerankDeadlineMs) },
    searchCacheMb: value(settings.searchCacheMb),
    searchThreads: value(settings.searchThreads),
    groupCommit: value(settings.groupCommit),
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

function dataDirSetting(fallback: string | undefined): Setting<string> {
  return fallback === undefined ? settings.dataDir : { ...settings.dataDir, default: fallback };
}

/** @throws ConfigError when only one of the two files is set */
function tlsFrom(value: <Value>(setting: Setting<Value>) => Value): Config["tls"] {
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
function llmFrom(value: <Value>(setting: Setting<Value>) => Value): LlmConfig | null {
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
