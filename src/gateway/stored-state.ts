// Owns the refusal of requests for what an upstream has stored: it is shared by all clients of the upstream's key, so a key for subjects would
// get what others have sent.

import type { Caller } from "../access/caller.ts";
import { Refusal } from "../platform/errors.ts";

/** @throws Refusal 1403 */
export function requireWholeProject({ key }: Caller): void {
  if (key.subject === null) return;
  throw new Refusal(
    1403,
    "Permission denied: the API key is for subjects only, and the request is for what the upstream has stored. Send the whole conversation.",
  );
}
