// Owns how the settings in force are shown to people in a browser: what `config print` prints, with the description of each setting and
// the ways to change it. Must never contain a secret.

import type { SettingReport } from "./config.ts";
import { allSettings, flagOf, generalSettings, variableOf } from "./settings.ts";

/** Where a value came from. */
type SettingSource = "flag" | "variable" | "file" | "default";

export interface SettingInForce {
  readonly name: string;
  readonly description: string;
  /** "(hidden)" for a secret that is set. Null: unset, or unlimited. */
  readonly value: unknown;
  readonly source_kind: SettingSource;
  /** `--port`, `MEMLEDGER_PORT`, the path of memledger.toml, or `default`. */
  readonly source: string;
  /** The option and the variable of the setting; null: it can only be set in memledger.toml. */
  readonly flag: string | null;
  readonly variable: string | null;
}

export function settingsInForce(reports: readonly SettingReport[]): readonly SettingInForce[] {
  const settings = new Map(allSettings.map((setting) => [setting.name, setting]));
  return reports.flatMap(({ name, value, source }) => {
    const setting = settings.get(name);
    if (setting === undefined) return [];
    const isGeneral = generalSettings.includes(setting);
    return {
      name,
      description: setting.description,
      value: withoutQuery(value),
      source_kind: kindOf(source),
      source,
      flag: isGeneral ? flagOf(setting) : null,
      variable: isGeneral ? variableOf(setting) : null,
    };
  });
}

function kindOf(source: string): SettingSource {
  if (source === "default") return "default";
  if (source.startsWith("--")) return "flag";
  return source.startsWith("MEMLEDGER_") ? "variable" : "file";
}

/** The query of an address may be a key of its server. */
function withoutQuery(value: unknown): unknown {
  if (typeof value !== "string" || !/^https?:\/\//i.test(value)) return value;
  return value.replace(/\?.*$/s, "?(hidden)");
}
