// Owns what all commands of `memledger hook` read from their options: the client, the project, the server, and the folder of the hooks.

import { join } from "node:path";
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
    url: typeof options.url === "string" ? options.url : null,
    dataDir: root,
    folder,
    logger: createHookLog(folder, config.logLevel),
  };
}

/** @param project a name, never `auto` */
export function openHookChannel(
  { url, dataDir }: HookTarget,
  project: string,
  variables: Readonly<Record<string, string | undefined>>,
): Channel {
  if (url === null) return openChannel({ dataDir, project, start: false });
  const apiKey = variables.MEMLEDGER_API_KEY;
  if (apiKey === undefined)
    throw new Error("MEMLEDGER_API_KEY is not set. Set it to the API key of the server.");
  return openChannel({ url, apiKey });
}
