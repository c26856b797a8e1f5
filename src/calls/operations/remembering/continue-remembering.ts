// Owns connecting the runner with the store and the calls of a server.

import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { Store } from "../../storage/store.ts";
import { type RememberTools, remember } from "./remember.ts";
import { createRememberRunner, type RememberRunner } from "./runner.ts";

interface RememberingParts extends Pick<RememberTools, "perform" | "readWords" | "detail"> {
  readonly store: Pick<Store, "remembering" | "access" | "audit">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The runner of a server; it is not started. */
export function continueRemembering({ store, ...parts }: RememberingParts): RememberRunner {
  const { remembering: queue, access, audit } = store;
  const tools: RememberTools = { ...parts, queue, access, audit };
  const work: Parameters<typeof createRememberRunner>[0]["work"] = (task, signal) =>
    remember(tools, task, signal);
  return createRememberRunner({ queue, work, clock: parts.clock, logger: parts.logger });
}
