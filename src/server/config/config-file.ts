// Owns reading memledger.toml and the messages about its syntax and its names. Does not check values: setting.ts does.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { planNames } from "../../access/plan.ts";
import { requireUsable } from "../../platform/files/regular-file.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { isObject } from "../../platform/json/json.ts";
import { suggest } from "../../platform/text/suggestion.ts";
import { refuseForeignDirectory, requireOwnLink } from "../data-directory/ownership.ts";
import { upstreamTables } from "./gateway-settings.ts";
import { retiredSettings } from "./retired-settings.ts";
import { allSettings, settings } from "./settings.ts";

const tables = ["[gateway]", `[[${upstreamTables.name}]]`, ...planNames.map((plan) => `[plans.${plan}]`)];

/** The configuration is invalid. The message says where to correct it. */
export class ConfigError extends Error {}

/** Values by name of the setting, such as `plans.pro.hash`; empty when there is no file. @throws ConfigError */
export function readConfigFile(file: string): ReadonlyMap<string, unknown> {
  const values = flatten(readToml(file));
  for (const [name, value] of values) refuseUnknownKey(name, value, file);
  return values;
}

function readToml(file: string): unknown {
  let content: string;
  try {
    // The file is read before the owner of the directory is checked, possibly by root.
    requireOwnLink(file);
    requireUsable(file, "file");
    content = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && !("code" in error)) throw new ConfigError(error.message);
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) {
      return {};
    }
    if (isDenied(error)) refuseForeignDirectory(dirname(file));
    const { cause = "unknown system error", remedy = "Make it readable or remove it." } =
      explainSystemError(error) ?? {};
    throw new ConfigError(`${file} cannot be read: ${cause}. ${remedy}`, { cause: error });
  }
  try {
    return parseToml(content);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]?.replace("Invalid TOML document: ", "");
    throw new ConfigError(`${file} is not valid TOML at line ${error.line}: ${reason}. Correct that line.`);
  }
}

/** Also because of a folder above the file. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EACCES";
}

/** `{ plans: { pro: { hash: true } } }` becomes `plans.pro.hash`. Dates and empty tables are not changed. */
function flatten(value: unknown, prefix = ""): Map<string, unknown> {
  const isLeaf = prefix !== "" && (!isObject(value) || Object.keys(value).length === 0);
  if (isLeaf || !isObject(value)) return new Map([[prefix, value]]);
  const parts = Object.entries(value).map(([key, item]) =>
    flatten(item, prefix === "" ? key : `${prefix}.${key}`),
  );
  return new Map(parts.flatMap((part) => [...part]));
}

function refuseUnknownKey(name: string, value: unknown, file: string): void {
  const known = [...allSettings.filter((setting) => setting !== settings.dataDir), upstreamTables].map(
    (setting) => setting.name,
  );
  const isTable = known.some((other) => other.startsWith(`${name}.`));
  const isRetired = retiredSettings.some((setting) => setting.name === name);
  if (known.includes(name) || isRetired || (isTable && isObject(value))) return;
  if (name.startsWith(`${upstreamTables.name}.`)) {
    throw new ConfigError(
      `${upstreamTables.name} in ${file} must be ${upstreamTables.expectation}. Write the brackets twice.`,
    );
  }
  const table = name.replace(/[^.]*$/, "");
  const siblings = known.filter((other) => other.startsWith(table));
  const near =
    table === "" || siblings.length === 0 ? known.filter((other) => !other.includes(".")) : siblings;
  const similar = suggestKey(name, known);
  if (similar !== null) throw new ConfigError(`Unknown setting ${name} in ${file}. Did you mean ${similar}?`);
  throw new ConfigError(
    `Unknown setting ${name} in ${file}. Remove it, or use one of ${near.join(", ")}. The tables are ${tables.join(", ")}.`,
  );
}

/** The most similar known key, compared table by table, or null. */
function suggestKey(name: string, known: readonly string[]): string | null {
  let path = "";
  for (const part of name.split(".")) {
    const below = known.filter((other) => other.startsWith(path));
    const parts = [...new Set(below.map((other) => other.slice(path.length).split(".")[0] ?? ""))];
    const near = parts.includes(part) ? part : suggest(part, parts);
    if (near === null) return null;
    path += `${near}.`;
  }
  const key = path.slice(0, -1);
  return known.includes(key) ? key : null;
}
