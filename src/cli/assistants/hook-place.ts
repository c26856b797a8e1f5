// Owns what the commands of `memledger hook` read from their options: the client, the detail, the data directory, and the folder of the
// hooks in it.

import { join } from "node:path";
import { type HookClientName, hookClientNames } from "../../assistants/hooks/client.ts";
import { createHookLog } from "../../assistants/hooks/hook-log.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { openDataDirectory } from "../../server/data-directory/data-directory.ts";
import type { Invocation } from "../command.ts";

export interface HookPlace {
  readonly client: HookClientName;
  readonly dataDir: string;
  /** In the data directory. */
  readonly folder: string;
  readonly logger: Logger;
}

/** Creates the data directory. @throws Error that says what to do when it cannot be used */
export function openHookPlace({ config, options }: Invocation): HookPlace {
  const client = hookClientNames.find((name) => name === options.client);
  if (client === undefined) throw new Error("The client is missing. Add --client.");
  const { root } = openDataDirectory(config.dataDir);
  const folder = join(root, "hooks");
  return { client, dataDir: root, folder, logger: createHookLog(folder, config.logLevel) };
}

/** How much of a transcript becomes a memory. */
export function readDetail({ options }: Invocation): string {
  return String(options.detail);
}
