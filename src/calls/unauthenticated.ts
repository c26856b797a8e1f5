// Owns calls without a valid key: of an unknown one they are recorded on the installation's chain, of a revoked or expired one on its
// project's. Their input is never received, and few of them are recorded: nobody may fill the disk without a valid key.

import type { Caller } from "../access/caller.ts";
import { tooManyCalls } from "../access/rate.ts";
import { createUnauthenticatedLimit, tooManyUnauthenticated } from "../access/unauthenticated-limit.ts";
import type { Clock } from "../clock.ts";
import type { Refusal } from "../errors.ts";
import { unauthenticatedTextMaxCharacters } from "../limits.ts";
import type { Origin } from "./call.ts";
import { toOrigin } from "./origin.ts";
import type { Request } from "./request.ts";

export interface UnauthenticatedRecord {
  readonly origin: Origin;
  readonly keyId: string | null;
  readonly refusal: Refusal;
}

/** What the record of a call without a valid key holds. @throws Refusal 1429 when the call is only counted. */
export type JudgeUnauthenticated = (
  request: Request,
  caller: Caller | null,
  invalid: Refusal,
) => UnauthenticatedRecord;

export function createJudgeUnauthenticated(
  clock: Clock,
  limit = createUnauthenticatedLimit(),
): JudgeUnauthenticated {
  return (request, caller, invalid) => {
    const verdict = limit(request.origin.ip ?? "unknown", clock.elapsed());
    const origin = toOrigin(request, null, unauthenticatedTextMaxCharacters);
    if (verdict.kind === "record") return { origin, keyId: caller?.key.id ?? null, refusal: invalid };
    const { unrecorded, waitSeconds } = verdict;
    if (unrecorded === null) throw tooManyCalls(waitSeconds);
    // The count covers calls with many keys and with none, so it is recorded on the installation's chain.
    return { origin, keyId: null, refusal: tooManyUnauthenticated(unrecorded, waitSeconds) };
  };
}
