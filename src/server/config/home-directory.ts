// Owns where the home directory of the user is. Must never look for anything in it.

import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { ConfigError } from "./config-file.ts";
import type { Variables } from "./service-variables.ts";

/**
 * The directory that the variable of the system names, as for the programs that assistants are; without it, that of the user database.
 * @throws ConfigError when it is not absolute: files would be written to the working directory
 */
export function homeDirectory(variables: Variables, platform: NodeJS.Platform = process.platform): string {
  const [name, { isAbsolute }] = platform === "win32" ? ["USERPROFILE", win32] : ["HOME", posix];
  const home = variables[name] || homedir();
  if (isAbsolute(home)) return home;
  throw new ConfigError(
    `${name} is "${home}", which is not an absolute path. Set it to your home directory.`,
  );
}
