// Owns the copy of memledger.toml in a backup: without the values of secret settings. Pure.

import { parse as parseToml } from "smol-toml";
import { generalSettings } from "../config/settings.ts";

interface PublicConfig {
  /** Null: a secret could not be removed, so the file must be left out. */
  readonly text: string | null;
  /** Names of the removed settings. */
  readonly removed: readonly string[];
}

/**
 * Replaces the lines of secret settings by comments, also where such a line is a comment, because its value may still be valid. A file
 * that is not valid TOML is left out: nobody can say what is in it.
 */
export function withoutSecrets(toml: string): PublicConfig {
  const names = generalSettings.filter(({ secret }) => secret).map(({ name }) => name);
  const table = parse(toml);
  if (table === null) return { text: null, removed: [] };
  const present = names.filter((name) => table[name] !== undefined);
  const text = names.reduce(
    (remaining, name) =>
      remaining.replace(
        new RegExp(`^[ \\t#]*(["']?)${name}\\1[ \\t]*=.*$`, "gm"),
        `# ${name} is secret, so it is not in this backup. Set it again.`,
      ),
    toml,
  );
  const isPublic = present.every((name) => !text.includes(String(table[name])));
  return { text: isPublic && parse(text) !== null ? text : null, removed: present };
}

function parse(toml: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseToml(toml);
  } catch {
    return null;
  }
}
