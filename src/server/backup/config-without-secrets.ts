// Owns the copy of memledger.toml in a backup: without the values of secret settings. Pure.

import { parse as parseToml } from "smol-toml";
import { isObject } from "../../platform/json/json.ts";
import { upstreamSettings, upstreamTables } from "../config/gateway-settings.ts";
import type { Setting } from "../config/setting.ts";
import { generalSettings } from "../config/settings.ts";

interface PublicConfig {
  /** Null: a secret could not be removed, so the file must be left out. */
  readonly text: string | null;
  /** Names of the removed settings. */
  readonly removed: readonly string[];
}

interface Secret {
  readonly name: string;
  readonly value: string;
}

const isSecret = ({ secret }: Setting<unknown>) => secret;
const secretSettings = generalSettings.filter(isSecret).map(({ name }) => name);
const secretsOfUpstream = Object.values(upstreamSettings)
  .filter(isSecret)
  .map(({ name }) => name);
/** How secrets are named in lines: without the name of their table. */
const keys = new Set([...secretSettings, ...secretsOfUpstream].map((name) => name.replace(/^.*\./, "")));

/**
 * Replaces the lines of secret settings by comments, also where such a line is a comment, because its value may still be valid. A file
 * that is not valid TOML is left out: nobody can say what is in it. So is one with a secret in the middle of a line, as in an inline table.
 */
export function withoutSecrets(toml: string): PublicConfig {
  const table = parse(toml);
  if (table === null) return { text: null, removed: [] };
  const present = secretsIn(table);
  const text = [...keys].reduce(withoutKey, toml);
  const isPublic = present.every(({ value }) => !text.includes(value));
  return {
    text: isPublic && parse(text) !== null ? text : null,
    removed: present.map(({ name }) => name),
  };
}

/** A line of the setting may begin with the name of its table; in a comment, other text may be in front of it. */
function withoutKey(toml: string, key: string): string {
  const setting = `^[ \\t]*(?:["'\\w-]+[ \\t]*\\.[ \\t]*)?(["']?)${key}\\1[ \\t]*=.*$`;
  const comment = `^[ \\t]*#(?:.*[^\\w-])?${key}["']?[ \\t]*=.*$`;
  return toml.replace(
    new RegExp(`${setting}|${comment}`, "gm"),
    `# ${key} is secret, so it is not in this backup. Set it again.`,
  );
}

function secretsIn(table: Readonly<Record<string, unknown>>): readonly Secret[] {
  const gateway = isObject(table.gateway) ? table.gateway : {};
  const upstreams = Array.isArray(gateway.upstreams) ? gateway.upstreams.filter(isObject) : [];
  return [
    ...secretSettings.flatMap((name) => secretAt(table, name, name.split("."))),
    ...upstreams.flatMap((upstream) =>
      secretsOfUpstream.flatMap((key) =>
        secretAt(upstream, `${upstreamTables.name}.${upstream.name}.${key}`, [key]),
      ),
    ),
  ];
}

function secretAt(table: unknown, name: string, path: readonly string[]): Secret[] {
  let value = table;
  for (const part of path) value = isObject(value) ? value[part] : undefined;
  return value === undefined ? [] : [{ name, value: String(value) }];
}

function parse(toml: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseToml(toml);
  } catch {
    return null;
  }
}
