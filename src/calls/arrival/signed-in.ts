// Owns the answer to the question who is signed in. It is no operation: it shows nothing but the session itself, and pages ask often. Only
// questions with a session that is not valid are recorded, as calls without a valid key are. Must never change data.

import { digestSecret } from "../../access/key.ts";
import { isSessionSecret, sessionFault } from "../../access/session.ts";
import { successCode } from "../../platform/errors.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Answer, toData, toRefusalAnswer, toRefused } from "../contract/answer.ts";
import type { Request } from "../contract/request.ts";
import { toSignedIn } from "../operations/access/signed-in.ts";
import type { Store } from "../storage/store.ts";
import type { ArrivalChecks } from "./arrival-checks.ts";
import { identify } from "./identify.ts";
import type { TokenReaders } from "./identify-token.ts";

interface SignedInTools extends TokenReaders {
  readonly store: Pick<Store, "access" | "subjects" | "commit">;
  readonly clock: Clock;
}

/** Never throws. The data of a success is a SignedIn (access/signed-in.ts). */
export type ShowSession = (request: Pick<Request, "credentials" | "origin">) => Promise<Answer>;

/** Whether the session with this secret is in force. Cheap, and without a record: event streams ask every second. @throws Refusal 1503 */
export type IsSignedIn = (secret: string) => Promise<boolean>;

function createSessionCheck({ store, clock }: Pick<SignedInTools, "store" | "clock">): IsSignedIn {
  return async (secret) => {
    const known = isSessionSecret(secret) ? await store.access.findSession(digestSecret(secret)) : null;
    return known !== null && sessionFault(known, clock.now()) === null;
  };
}

/** The action of the record of a question with a session that is not valid. */
const action = "session.show";

function createShowSession(tools: SignedInTools, checks: ArrivalChecks): ShowSession {
  const { store, clock } = tools;
  return async (request) => {
    const arrivedAt = clock.elapsed();
    try {
      const actor = await identify(tools, request.credentials, clock.now());
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

/** What the console asks about its sessions. */
export function createSignedIn(
  tools: SignedInTools,
  checks: ArrivalChecks,
): { readonly showSession: ShowSession; readonly isSignedIn: IsSignedIn } {
  return { showSession: createShowSession(tools, checks), isSignedIn: createSessionCheck(tools) };
}
