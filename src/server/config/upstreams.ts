// Owns reading the tables [[gateway.upstreams]] of memledger.toml, and the messages about them. Must never show an API key.

import { upstreamsMax } from "../../gateway/limits.ts";
import type { ModelPrice } from "../../gateway/model-price.ts";
import { findUpstreamFault, type Upstream } from "../../gateway/upstream.ts";
import { suggest } from "../../platform/text/suggestion.ts";
import { ConfigError } from "./config-file.ts";
import { upstreamSettings as keys, upstreamTables } from "./gateway-settings.ts";
import { readSecretFile } from "./secret-file.ts";
import type { Setting } from "./setting.ts";
import { pick, type SettingReport, type Source, toReport } from "./sources.ts";

export type ValueOf = <Value>(setting: Setting<Value>) => Value;

interface ReadUpstreams {
  /** In the order of the file. */
  readonly upstreams: readonly Upstream[];
  readonly reports: readonly SettingReport[];
}

interface Table {
  readonly values: Readonly<Record<string, unknown>>;
  /** The table in messages: `gateway upstream 2 ("local")`. */
  readonly title: string;
}

/** @param file path of memledger.toml, for messages. @param base directory of relative paths. @throws ConfigError */
export function readUpstreams(tables: readonly object[], file: string, base: string): ReadUpstreams {
  if (tables.length > upstreamsMax) {
    throw new ConfigError(
      `${file} has ${tables.length} tables [[${upstreamTables.name}]]; the maximum is ${upstreamsMax}. Remove some.`,
    );
  }
  const read = tables.map((values, index) => readTable(toTable(values, index), file, base));
  refuseSameNames(
    read.map(({ upstream }) => upstream.name),
    file,
  );
  return {
    upstreams: read.map(({ upstream }) => upstream),
    reports: read.flatMap(({ reports }) => reports),
  };
}

/** @param value of a setting of an upstream */
export function toUpstream(
  identity: Pick<Upstream, "name" | "kind" | "baseUrl" | "apiKey">,
  value: ValueOf,
): Upstream {
  const tags = value(keys.memoryTags);
  return {
    ...identity,
    models: value(keys.models),
    timeoutSeconds: value(keys.timeoutSeconds),
    allowsPlainHttp: value(keys.allowPlainHttp),
    asksForUsage: value(keys.askForUsage),
    subjectFromUser: value(keys.subjectFromUser),
    prices: value(keys.prices),
    memory: {
      isOn: value(keys.memory),
      maxCharacters: value(keys.memoryBudget),
      minSimilarity: value(keys.memoryFloor),
      tags: tags.length === 0 ? null : tags,
      failure: value(keys.memoryFailure) === "open" ? "fail_open" : "fail_closed",
      deadlineMs: value(keys.memoryDeadlineMs),
    },
  };
}

function toTable(values: object, index: number): Table {
  const named =
    "name" in values && typeof values.name === "string" ? ` (${JSON.stringify(values.name)})` : "";
  return { values: { ...values }, title: `gateway upstream ${index + 1}${named}` };
}

function readTable({ values, title }: Table, file: string, base: string) {
  refuseUnknownKeys(values, `${title} in ${file}`);
  const source: Source = {
    base,
    label: () => file,
    describe: (setting) => `${setting.name} of ${title} in ${file}`,
    get: (setting) => values[setting.name],
  };
  const value: ValueOf = (setting) => pick(setting, [source]).value;
  const required = (setting: Setting<string | null>): string => {
    const found = value(setting);
    if (found !== null) return found;
    throw new ConfigError(`${title} in ${file} has no ${setting.name}. Add it: ${setting.description}.`);
  };
  const keySource = apiKeySource(source);
  const upstream = toUpstream(
    {
      name: required(keys.name),
      kind: value(keys.kind),
      baseUrl: required(keys.baseUrl),
      apiKey: pick(keys.apiKey, [keySource]).value,
    },
    value,
  );
  const fault = findUpstreamFault(upstream);
  if (fault !== null) throw new ConfigError(`In ${title} of ${file}, ${fault}`);
  const reports = Object.values(keys).map((setting: Setting<unknown>) => {
    const report = toReport(setting, [setting === keys.apiKey ? keySource : source]);
    const shown = setting === keys.prices ? { value: upstream.prices.map(describePrice) } : {};
    return { ...report, ...shown, name: `${upstreamTables.name}.${upstream.name}.${setting.name}` };
  });
  return { upstream, reports };
}

function describePrice({
  model,
  inputUsd,
  cachedInputUsd,
  cacheWriteInputUsd,
  outputUsd,
}: ModelPrice): string {
  const cached = cachedInputUsd === null ? "" : `, cached ${cachedInputUsd}`;
  const written = cacheWriteInputUsd === undefined ? "" : `, cache write ${cacheWriteInputUsd}`;
  return `${model}: input ${inputUsd}${cached}${written}, output ${outputUsd}`;
}

/** The API key, also if it is in a file of its own. @throws ConfigError when there are two, or the file has no secret */
function apiKeySource(source: Source): Source {
  const path = pick(keys.apiKeyFile, [source]).value;
  if (path === null) return source;
  const place = source.describe(keys.apiKeyFile);
  if (source.get(keys.apiKey) !== undefined) {
    throw new ConfigError(`${place} is set, and so is api-key. Remove one of them.`);
  }
  const secret = readSecretFile(path, place);
  return {
    ...source,
    label: () => path,
    describe: () => `The content of the file ${path} in ${place}`,
    get: () => secret,
  };
}

function refuseUnknownKeys(values: Table["values"], place: string): void {
  const known = Object.values(keys).map(({ name }) => name);
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = suggest(unknown, known);
  const remedy = near === null ? `Remove it, or use one of ${known.join(", ")}.` : `Did you mean ${near}?`;
  throw new ConfigError(`Unknown setting ${unknown} of ${place}. ${remedy}`);
}

function refuseSameNames(names: readonly string[], file: string): void {
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return;
    throw new ConfigError(
      `The gateway upstreams ${first + 1} and ${index + 1} in ${file} are both named ${JSON.stringify(name)}. Rename one of them: records name the upstream.`,
    );
  });
}
