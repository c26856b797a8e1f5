// Owns where the configuration of the user is on each operating system. Must never read a file.

import { isAbsolute, join, resolve } from "node:path";
import { homeDirectory } from "../../server/config/home-directory.ts";

/** Where a scope of an assistant's configuration is looked for. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The working directory: the project of the scope `project`. */
  readonly project: string;
}

/** The home directory. @throws ConfigError when it is not absolute */
export function homeOf({ platform, variables }: Places): string {
  return homeDirectory(variables, platform);
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

/** The directory that a variable of the assistant names, else the one in the home directory. */
export function namedDirectory(places: Places, variable: string, fallback: string): string {
  const named = places.variables[variable];
  return named ? resolve(places.project, named) : join(homeOf(places), fallback);
}
