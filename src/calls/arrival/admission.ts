// Owns the entry of a request that names its calls only in its body, such as a message of MCP: who sends it, whether the body may be
// received, and what the caller may do. The calls in it are then performed. Must never perform one itself.

import type { BodyClaim } from "../../access/body-budget.ts";
import type { Caller } from "../../access/caller.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Answer, toRefusalAnswer, toRefused } from "../contract/answer.ts";
import type { ProjectOperation } from "../contract/operation.ts";
import type { Request } from "../contract/request.ts";
import type { Store } from "../storage/store.ts";
import type { ArrivalChecks, ArrivalTools } from "./arrival-checks.ts";
import { identify, isPermitted, requireCaller } from "./identify.ts";
import type { TokenReaders } from "./identify-token.ts";

/** The request may be received. Its caller has been counted by the rate limit once. */
export interface Admitted {
  readonly caller: Caller;
  /** For the body of the request. */
  readonly claim: BodyClaim & Disposable;
  /** Whether the key has the permission and the plan includes the feature. `perform` decides it again. */
  mayPerform(operation: ProjectOperation): boolean;
  /** To be awaited before a large body is parsed. */
  turnForLargeBody(): Promise<void>;
}

export type Admission =
  | { readonly admitted: Admitted; readonly refused: null }
  /** `caller`: null if the key is missing or unknown. */
  | { readonly admitted: null; readonly refused: Answer; readonly caller: Caller | null };

/**
 * Never throws.
 * @param action name of the record if the credentials are not valid, because the operation is not known yet
 */
export type Admit = (
  action: string,
  request: Pick<Request, "credentials" | "origin" | "arrivedAt">,
) => Promise<Admission>;

interface AdmissionTools extends Pick<ArrivalTools, "plans">, Pick<TokenReaders, "tokens"> {
  readonly store: Store;
  readonly clock: Clock;
}

export function createAdmission(tools: AdmissionTools, checks: ArrivalChecks): Admit {
  const { store, clock, plans } = tools;
  return async (action, request) => {
    let caller: Caller | null = null;
    try {
      const actor = await identify(tools, request.credentials, clock.now());
      caller = actor.caller;
      if (actor.invalid !== null) {
        const refusal = checks.refuseUnauthenticated(request, actor, actor.invalid);
        const arrivedAt = request.arrivedAt ?? clock.elapsed();
        return {
          admitted: null,
          refused: await store.commit({ operation: action, arrivedAt, ...refusal }),
          caller,
        };
      }
      return { admitted: admit(requireCaller(action, caller)), refused: null };
    } catch (error) {
      return { admitted: null, refused: toRefusalAnswer(toRefused(error, checks.report)), caller };
    }
  };

  /** @throws Refusal 1429 */
  function admit(caller: Caller): Admitted {
    checks.limitRate(caller);
    return {
      caller,
      claim: checks.claimBody(caller.project.id),
      mayPerform: (operation) => isPermitted(operation, caller, plans, clock.now()),
      turnForLargeBody: checks.turnForLargeBody,
    };
  }
}
