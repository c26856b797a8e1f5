// Owns the read transaction that look-ups on the main thread share. Beginning one for each look-up takes longer than the look-up: SQLite
// takes locks, and reads again every page that a commit may have changed.

import type { Database } from "../../../native/sqlite.ts";

export interface SharedSnapshot {
  /** Until the end of this turn of the event loop, or `end`, what is read is as of the first look-up. */
  begin(): void;
  /** Call it before a commit is answered: whoever has the answer must find what was committed. */
  end(): void;
}

export function createSharedSnapshot(database: Database): SharedSnapshot {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  let isScheduled = false;
  const end = (): void => {
    // After a failure of the disk there is no transaction to end.
    if (database.open && database.inTransaction) commit.run();
  };
  return {
    begin() {
      if (!database.inTransaction) begin.run();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        end();
      });
    },
    end,
  };
}
