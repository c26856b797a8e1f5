// Owns how a value is found in each source of settings: options, variables, memledger.toml. Must never know what a setting means.

import { resolve } from "node:path";
import { ConfigError, readConfigFile } from "./config-file.ts";
import { type FoundSecret, findSecret } from "./secret-file.ts";
import type { Variables } from "./service-variables.ts";
import type { Setting } from "./setting.ts";
import { flagOf, variableOf } from "./settings.ts";

/** One source of values, and the names of settings in it. */
export interface Source {
  readonly base: string;
  label(setting: Setting<unknown>): string;
  /** The name of the setting in messages. */
  describe(setting: Setting<unknown>): string;
  get(setting: Setting<unknown>): unknown;
}

export function fromFlags(flags: Readonly<Record<string, string>>): Source {
  return { base: process.cwd(), label: flagOf, describe: flagOf, get: ({ name }) => flags[name] };
}

/**
 * An empty variable counts as not set: compose files and systemd units pass unset variables on as empty ones. A secret can also be in a
 * file, which is read once.
 */
export function fromVariables(variables: Variables): Source {
  const secrets = new Map<string, FoundSecret | null>();
  const secretOf = (variable: string): FoundSecret | null => {
    const found = secrets.get(variable) ?? findSecret(variables, variable);
    secrets.set(variable, found);
    return found;
  };
  const label = (setting: Setting<unknown>) => {
    const variable = variableOf(setting);
    return setting.secret ? (secretOf(variable)?.variable ?? variable) : variable;
  };
  return {
    base: process.cwd(),
    label,
    describe: (setting) => {
      const variable = label(setting);
      return variable === variableOf(setting) ? variable : `The content of the file in ${variable}`;
    },
    get: (setting) =>
      setting.secret ? secretOf(variableOf(setting))?.value : variables[variableOf(setting)] || undefined,
  };
}

/** @throws ConfigError */
export function fromFile(file: string, base: string): Source {
  const values = readConfigFile(file);
  return {
    base: resolve(base),
    label: () => file,
    describe: ({ name }) => `${name} in ${file}`,
    get: ({ name }) => values.get(name),
  };
}

/** @returns the value of the first source that has one, else the default, and its label. @throws ConfigError for an invalid value */
export function pick<Value>(
  setting: Setting<Value>,
  sources: readonly Source[],
): { value: Value; source: string } {
  for (const source of sources) {
    const raw = source.get(setting);
    if (raw === undefined) continue;
    const value = setting.read(raw, source.base);
    if (value !== undefined) return { value, source: source.label(setting) };
    const found = setting.secret ? "" : `, not ${withoutPassword(JSON.stringify(raw))}`;
    throw new ConfigError(`${source.describe(setting)} must be ${setting.expectation}${found}.`);
  }
  return { value: setting.default, source: "default" };
}

/** A setting as `config print` shows it. */
export interface SettingReport {
  readonly name: string;
  readonly value: unknown;
  /** `--port`, `MEMLEDGER_PORT`, the path of memledger.toml or of a file with a secret, or `default`. */
  readonly source: string;
}

export function toReport(setting: Setting<unknown>, sources: readonly Source[]): SettingReport {
  const { value, source } = pick(setting, sources);
  return { name: setting.name, value: setting.secret && value !== null ? "(hidden)" : value, source };
}

/** A URL may contain a password. */
function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/\s]*@/g, "//(hidden)@");
}
