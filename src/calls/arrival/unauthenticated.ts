// Owns calls without a valid key: of an unknown one they are recorded on the installation's chain, of a revoked or expired one on its
// project's. Their input is never received, and only few of them are recorded, so that nobody can fill the disk without a valid key.

import { tooManyCalls } from "../../access/rate.ts";
import { createUnauthenticatedLimit, tooManyUnauthenticated } from "../../access/unauthenticated-limit.ts";
import type { Refusal } from "../../platform/errors.ts";
import { unauthenticatedTextMaxCharacters } from "../../platform/limits.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type ReportFailure, toRefused } from "../contract/answer.ts";
import type { Call } from "../contract/call.ts";
import type { Request } from "../contract/request.ts";
import type { Actor } from "./actor.ts";
import { nothingKept } from "./input.ts";
import { toOrigin } from "./origin.ts";

/** The refused call as it is recorded. @throws Refusal 1429 when the call is counted and not recorded. */
type RefuseUnauthenticated = (
  request: Pick<Request, "credentials" | "origin">,
  actor: Actor,
  invalid: Refusal,
) => Omit<Call, "operation" | "arrivedAt">;

export function createUnauthenticatedRefusal(clock: Clock, report: ReportFailure): RefuseUnauthenticated {
  const limit = createUnauthenticatedLimit();
  return (request, actor, invalid) => {
    const origin = toOrigin(request, actor, null, unauthenticatedTextMaxCharacters);
    const refuse = (keyId: string | null, refusal: Refusal) => ({
      keyId,
      origin,
      memoryId: null,
      parameters: null,
      ...nothingKept,
      decision: { refused: toRefused(refusal, report) },
    });
    const verdict = limit(request.origin.ip ?? "unknown", clock.elapsed());
    if (verdict.kind === "record") return refuse(actor.caller?.key.id ?? null, invalid);
    const { unrecorded, waitSeconds } = verdict;
    if (unrecorded === null) throw tooManyCalls(waitSeconds);
    // The count covers calls with many keys and with none, so it is recorded on the installation's chain.
    return refuse(null, tooManyUnauthenticated(unrecorded, waitSeconds));
  };
}
