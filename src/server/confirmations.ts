// Owns what people are shown of those to whom checkpoints are sent: the states that the metrics have, and what each has confirmed last.

import type { Confirmation } from "../transports/http/console/overview/facts.ts";
import type { DestinationState } from "./attesting/destination.ts";

/** @returns in the order of the states */
export function createConfirmationReader(
  states: () => readonly DestinationState[],
): () => Promise<readonly Confirmation[]> {
  return () =>
    Promise.all(
      states().map(async ({ kind, name, waiting, oldestAt, failure, last }) => ({
        ...{ kind, name, waiting, waitingSince: oldestAt, failure },
        last: await last(),
      })),
    );
}
