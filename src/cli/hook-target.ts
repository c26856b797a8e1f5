// Owns what all commands of `memledger hook` read from their options: the client, the project, the server, and the folder of the hooks.

import { join } from "node:path";
import { apiKeyVariable } from "../config/client-variables.ts";
import { address } from "../config/setting.ts";
import { openDataDirectory } from "../data-directory/data-directory.ts";
import { type HookClientName, hookClientNames } from "../hooks/client.ts";
import { createHookLog } from "../hooks/hook-log.ts";
import type { Channel } from "../local-access/channel.ts";
import { openChannel } from "../local-access/open-channel.ts";
import type { Logger } from "../log/logger.ts";
import type { Invocation } from "./command.ts";

export interface HookTarget {
  readonly client: HookClientName;
  /** As given. */
  readonly project: string;
  readonly url: string | null;
  readonly dataDir: string;
  /** In the data directory. */
  readonly folder: string;
  readonly logger: Logger;
}

/** Creates the data directory. @throws Error that says what to do when it cannot be used */
export function readHookTarget({ config, options }: Invocation): HookTarget {
  const client = hookClientNames.find((name) => name === options.client);
  if (client === undefined) throw new Error("The client is missing. Add --client.");
  const { root } = openDataDirectory(config.dataDir);
  const folder = join(root, "hooks");
  return {
    client,
    project: String(options.project),
    url: options.url === undefined ? null : readUrl(options.url),
    dataDir: root,
    folder,
    logger: createHookLog(folder, config.logLevel),
  };
}

const urlSetting = address({ name: "url", description: "server" });

/** @throws Error that does not name the value, which may contain a password */
function readUrl(value: unknown): string {
  const url = urlSetting.read(value, "");
  if (typeof url === "string") return url;
  throw new Error(`--url must be ${urlSetting.expectation}.`);
}

/**
 * Starts a background server if none runs.
 * @param project a name, never `auto`
 */
export function openHookChannel(
  { url, dataDir }: HookTarget,
  project: string,
  variables: Readonly<Record<string, string | undefined>>,
): Channel {
  if (url === null) return openChannel({ dataDir, project, start: true });
  const apiKey = variables[apiKeyVariable];
  if (apiKey === undefined)
    throw new Error(`${apiKeyVariable} is not set. Set it to the API key of the server.`);
  return openChannel({ url, apiKey });
}
