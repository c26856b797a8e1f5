// Owns the data directory of programs that an assistant starts in any working directory: one for each user. Must never create it.

import { homedir } from "node:os";
import { join } from "node:path";
import type { Variables } from "./service-variables.ts";

/**
 * Used if neither --data-dir nor MEMLEDGER_DATA_DIR names another one. Absolute. XDG Base Directory Specification on Linux; the folders
 * for application data on macOS and Windows.
 */
export function userDataDirectory(
  variables: Variables,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(applicationData(variables, platform), "memledger");
}

function applicationData({ XDG_DATA_HOME, LOCALAPPDATA }: Variables, platform: NodeJS.Platform): string {
  const home = homedir();
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return LOCALAPPDATA || join(home, "AppData", "Local");
  // The specification requires that a relative path is ignored.
  return XDG_DATA_HOME?.startsWith("/") === true ? XDG_DATA_HOME : join(home, ".local", "share");
}
