// Owns how the settings in force are shown to people in a browser: what `config print` prints, with the description of each setting and
// the ways to change it. Must never contain a secret.

import { upstreamSettings, upstreamTables } from "./gateway-settings.ts";
import type { Setting } from "./setting.ts";
import { allSettings, flagOf, generalSettings, variableOf } from "./settings.ts";
import type { SettingReport } from "./sources.ts";

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
  return reports.flatMap(({ name, value, source }) => {
    const setting = settingNamed(name);
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

/** That of an upstream has the name of the upstream in front of its own, which contains no dot. */
function settingNamed(name: string): Setting<unknown> | undefined {
  const isOfUpstream = name.startsWith(`${upstreamTables.name}.`);
  const settings: readonly Setting<unknown>[] = isOfUpstream ? Object.values(upstreamSettings) : allSettings;
  const key = isOfUpstream ? name.slice(name.lastIndexOf(".") + 1) : name;
  return settings.find((setting) => setting.name === key);
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
