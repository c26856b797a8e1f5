// Owns the data directory of programs that an assistant starts in any working directory: one for each user. Must never create it.

import { join } from "node:path";
import { homeDirectory } from "./home-directory.ts";
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

function applicationData(variables: Variables, platform: NodeJS.Platform): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = variables;
  // The specification requires that a relative path is ignored.
  if (platform !== "darwin" && platform !== "win32" && XDG_DATA_HOME?.startsWith("/") === true)
    return XDG_DATA_HOME;
  if (platform === "win32" && LOCALAPPDATA) return LOCALAPPDATA;
  const home = homeDirectory(variables, platform);
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return platform === "win32" ? join(home, "AppData", "Local") : join(home, ".local", "share");
}
