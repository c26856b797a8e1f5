// Owns what every request from outside must pass before its body is received: a valid key, the rate limit, and the memory for bodies.
// Both entry points, perform and admission, share one of it, so a request counts the same in both.

import { createBodyBudget } from "../../access/body-budget.ts";
import type { Caller } from "../../access/caller.ts";
import { createExchangeLimit, type ExchangeLimit } from "../../access/exchange-limit.ts";
import {
  administrationKeyRate,
  exchangeBodiesMaxBytes,
  exchangeBodiesMaxBytesPerProject,
  exchangeEndMaxMs,
  sessionRate,
} from "../../access/limits.ts";
import type { Plan, Plans } from "../../access/plan.ts";
import { planOf } from "../../access/project.ts";
import { type RateLimiter, tooManyCalls } from "../../access/rate.ts";
import type { Session } from "../../access/session.ts";
import type { GatewayConfig } from "../../gateway/gateway-config.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { createTurns } from "../../platform/scheduling/turns.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ReportFailure } from "../contract/answer.ts";
import type { Actor } from "./actor.ts";
import { createUnauthenticatedRefusal } from "./unauthenticated.ts";

export interface ArrivalTools {
  readonly gateway: GatewayConfig;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
}

export interface ArrivalChecks {
  /** Receives errors that are not a Refusal. */
  readonly report: ReportFailure;
  readonly refuseUnauthenticated: ReturnType<typeof createUnauthenticatedRefusal>;
  /** @throws Refusal 1429 when the key has no call left */
  limitRate(caller: Caller): void;
  /** @throws Refusal 1429 when the session has performed too much administration */
  limitSession(session: Session): void;
  /** The same for the session or the administration key of the actor, if it has one. @throws Refusal 1429 */
  limitAdministration(actor: Actor): void;
  /** The claim of one request of the project with this id. */
  readonly claimBody: ReturnType<typeof createBodyBudget>;
  /** The same for the body of an exchange. */
  readonly claimExchangeBody: ReturnType<typeof createBodyBudget>;
  readonly exchanges: ExchangeLimit;
  /** For a shutdown: resolves when no exchange runs, or after a limit. */
  untilExchangesEnd(): Promise<void>;
  /** Each large body is parsed in its own turn of the event loop. */
  turnForLargeBody(): Promise<void>;
}

export function createArrivalChecks(tools: ArrivalTools): ArrivalChecks {
  const { clock, plans, limiter, logger, gateway } = tools;
  const { exchangesMax: max, exchangesPerKeyMax: maxPerKey } = gateway;
  const exchanges = createExchangeLimit({ max, maxPerKey });
  const limit = (name: string, rate: Plan["rate"]): void => {
    const waitSeconds = limiter.take(name, rate, clock.elapsed());
    if (waitSeconds > 0) throw tooManyCalls(waitSeconds);
  };
  const report: ReportFailure = (incident, error) => logger.error("a call failed", { incident, error });
  return {
    report,
    refuseUnauthenticated: createUnauthenticatedRefusal(clock, report),
    limitRate: ({ key, project }) => limit(key.id, planOf(project, plans).rate),
    limitSession: ({ id }) => limit(`session ${id}`, sessionRate),
    limitAdministration({ administrationKey, session }) {
      if (session !== null) limit(`session ${session.id}`, sessionRate);
      if (administrationKey !== null)
        limit(`administration key ${administrationKey.id}`, administrationKeyRate);
    },
    claimBody: createBodyBudget(),
    claimExchangeBody: createBodyBudget({
      maxBytes: exchangeBodiesMaxBytes,
      maxBytesPerProject: exchangeBodiesMaxBytesPerProject,
    }),
    exchanges,
    async untilExchangesEnd() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = clock.after(exchangeEndMaxMs, resolve);
      await Promise.race([exchanges.whenIdle(), late]);
      timer.cancel();
    },
    turnForLargeBody: createTurns(),
  };
}
