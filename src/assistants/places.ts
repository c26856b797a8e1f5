// Owns where the configuration of the user is on each operating system. Must never read a file.

import { homedir } from "node:os";
import { isAbsolute, join, posix, resolve, win32 } from "node:path";
import { ConfigError } from "../config/config-file.ts";

/** Where a scope of a client's configuration is looked for. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The working directory: the project of the scope `project`. */
  readonly project: string;
}

/** The home directory. @throws ConfigError when it is not absolute: the files would be in the working directory */
export function homeOf({ platform, variables }: Places): string {
  const [name, { isAbsolute }] = platform === "win32" ? ["USERPROFILE", win32] : ["HOME", posix];
  const home = variables[name] || homedir();
  if (isAbsolute(home)) return home;
  throw new ConfigError(
    `${name} is "${home}", which is not an absolute path. Set it to your home directory.`,
  );
}

/** `~/.config`, `~/Library/Application Support` or `%APPDATA%`. */
export function applicationsOf(places: Places): string {
  const home = homeOf(places);
  if (places.platform === "win32") return places.variables.APPDATA || join(home, "AppData", "Roaming");
  if (places.platform === "darwin") return join(home, "Library", "Application Support");
  return configurationOf(places);
}

/** `$XDG_CONFIG_HOME`, else `~/.config`. Relative values are invalid and ignored (XDG Base Directory Specification). */
export function configurationOf(places: Places): string {
  const named = places.variables.XDG_CONFIG_HOME ?? "";
  return isAbsolute(named) ? named : join(homeOf(places), ".config");
}

/** The directory that a variable of the client names, else the one in the home directory. */
export function namedDirectory(places: Places, variable: string, fallback: string): string {
  const named = places.variables[variable];
  return named ? resolve(places.project, named) : join(homeOf(places), fallback);
}
