// Owns what is refused while the database file is damaged, also if an earlier process has found that. Reading goes on, so that what can be
// read can be saved.

import type { Call } from "../../calls/contract/call.ts";
import { exchangeOf } from "../../calls/contract/operation.ts";
import { findOperation } from "../../calls/operations.ts";
import { unavailable } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { DatabaseFile } from "./database-file/connection.ts";
import { isMarkedDamaged, unmarkDamaged } from "./database-file/damage-mark.ts";
import { isDamage } from "./database-file/disk-failure.ts";
import { findDamage } from "./database-file/inspect.ts";
import type { DamageCheck } from "./threads/damage-check.ts";

/** Why calls cannot be performed, and what the operator must do. */
export const damageReason =
  "the database file is damaged, and the operator of the server must restore the last backup: stop the server, copy the data directory to another place, and run memledger restore";

export const damagedFile = unavailable(
  `Nothing was changed, because the call was not executed: ${damageReason}. Memories and records can still be read.`,
);

/**
 * Whether the file is damaged that an earlier process has marked. Reads the whole file then, and removes the mark if it is intact: a backup
 * may have replaced it.
 */
export function isStillDamaged(file: DatabaseFile, logger: Logger): boolean {
  if (!isMarkedDamaged(file.path)) return false;
  const found = damageOf(file);
  if (found.length === 0) unmarkDamaged(file.path);
  else logger.error("the database file is damaged; restore the last backup", { found });
  return found.length > 0;
}

function damageOf(file: DatabaseFile): readonly string[] {
  try {
    return findDamage(file);
  } catch (error) {
    if (isDamage(error)) return [String(error)];
    throw error;
  }
}

/** Whether a call changes more than the ledger. What an exchange has passed on has happened, so its record is tried. */
export function writesMore({ operation: name, decision }: Call): boolean {
  const operation = findOperation(name);
  if (operation === undefined || decision.refused !== null) return false;
  return !operation.effects.readOnly && exchangeOf(operation) === undefined;
}

/** For writes that are no calls. @returns a function that makes another one refuse them with 1503 */
export function refusingDamaged(damage: Pick<DamageCheck, "isConfirmed">) {
  return <Values extends readonly unknown[], Result>(
    write: (...values: Values) => Promise<Result>,
  ): ((...values: Values) => Promise<Result>) =>
    async (...values) => {
      if (damage.isConfirmed()) throw damagedFile;
      return write(...values);
    };
}
