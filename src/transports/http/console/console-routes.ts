// Owns the list of the routes that only the console uses. Must never answer a request itself.

import type { IsSignedIn, ShowSession } from "../../../calls/arrival/signed-in.ts";
import type { Perform } from "../../../calls/perform.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { CallLog } from "../call-log.ts";
import type { Handler } from "../handler.ts";
import type { Listener } from "../network/listener.ts";
import { administrationRoute } from "./administration-route.ts";
import type { Overview } from "./overview/overview.ts";
import { overviewRoutes } from "./overview-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

/** What only the console needs. */
export interface ConsoleTools {
  readonly showSession: ShowSession;
  readonly isSignedIn: IsSignedIn;
}

/** Of the server. */
export interface ConsoleOptions {
  readonly console: ConsoleTools | null;
  readonly perform: Perform;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly overview: Overview | null;
}

export type ConsoleRoute = readonly [method: string, path: string, handle: Handler];

/** None if the server has no console, or it cannot be used through this socket. */
export function consoleRoutes(options: ConsoleOptions, listener: Listener): readonly ConsoleRoute[] {
  if (options.console === null || listener.console === null) return [];
  const place = { ...options, ...options.console, listener: listener.console, addressOf: listener.addressOf };
  const { overview, console } = options;
  const shown = overview === null ? [] : overviewRoutes({ ...place, ...console, overview, socket: listener });
  return [...sessionRoutes(place), administrationRoute(place), ...shown];
}
