// Owns the answer to the question who is signed in. It is no operation: it shows nothing but the session itself, and pages ask often. Only
// questions with a session that is not valid are recorded, as calls without a valid key are. Must never change data.

import { toSignedIn } from "../access/signed-in.ts";
import type { Clock } from "../clock.ts";
import { successCode } from "../errors.ts";
import type { Store } from "../storage/store.ts";
import { type Answer, toData, toRefusalAnswer, toRefused } from "./answer.ts";
import type { ArrivalChecks } from "./arrival-checks.ts";
import { identify } from "./identify.ts";
import type { Request } from "./request.ts";

/** Never throws. The data of a success is a SignedIn (access/signed-in.ts). */
export type ShowSession = (request: Pick<Request, "credentials" | "origin">) => Promise<Answer>;

/** The action of the record of a question with a session that is not valid. */
const action = "session.show";

export function createShowSession(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  checks: ArrivalChecks,
): ShowSession {
  return async (request) => {
    const arrivedAt = clock.elapsed();
    try {
      const actor = await identify(store.access, request.credentials, clock.now());
      const { session, caller, invalid } = actor;
      if (invalid !== null) {
        const refused = checks.refuseUnauthenticated(request, actor, invalid);
        return await store.commit({ operation: action, arrivedAt, ...refused });
      }
      if (session === null) throw new Error("only a session can be shown");
      checks.limitSession(session);
      return {
        status: 200,
        code: successCode,
        message: "success",
        data: toData(toSignedIn({ session, caller })),
      };
    } catch (error) {
      return toRefusalAnswer(toRefused(error, checks.report));
    }
  };
}
