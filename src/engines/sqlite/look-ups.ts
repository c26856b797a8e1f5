// Owns how the main thread reads from its own connection: in the snapshot that its reads share, and with every failure of the disk noticed.

import { createLogRepeats } from "../../platform/log/log-repeats.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { explainDiskFailure, isDamage, isDiskFailure, unreadable } from "./database-file/disk-failure.ts";
import type { SharedSnapshot } from "./database-file/shared-snapshot.ts";
import type { EngineReadiness } from "./threads/readiness.ts";

/** The functions of an object, each as a look-up. */
type LookUps<Finders> = {
  [Name in keyof Finders]: Finders[Name] extends (...values: infer Values) => infer Found
    ? (...values: Values) => Promise<Awaited<Found>>
    : never;
};

/** A failure of the disk is a Refusal 1503, a line in the log and a suspicion. */
export function createLookUps(snapshot: SharedSnapshot, logger: Logger, readiness: EngineReadiness) {
  const isToBeLogged = createLogRepeats();
  const lookUp =
    <Values extends readonly unknown[], Found>(find: (...values: Values) => Found | Promise<Found>) =>
    async (...values: Values): Promise<Found> => {
      try {
        snapshot.begin();
        return await find(...values);
      } catch (error) {
        if (!isDiskFailure(error)) throw error;
        readiness.suspect(isDamage(error));
        const message = "keys or memories cannot be looked up in the database";
        if (isToBeLogged(message)) logger.error(message, { ...explainDiskFailure(error), error });
        throw unreadable(error);
      }
    };
  // The type of Object.fromEntries does not tell the entries apart.
  return <Finders extends object>(finders: Finders) =>
    Object.fromEntries(
      Object.entries(finders).map(([name, find]) => [name, lookUp(find)]),
    ) as LookUps<Finders>;
}
