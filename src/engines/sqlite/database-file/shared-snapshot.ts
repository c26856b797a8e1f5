// Owns the read transaction that look-ups on the main thread share. Beginning one for each look-up takes longer than the look-up: SQLite
// takes locks, and reads again every page that a commit may have changed.

import type { Database } from "../../../platform/native/sqlite.ts";

export interface SharedSnapshot {
  /**
   * Until the end of this turn of the event loop, or `end`, what is read is as of the first look-up.
   * @throws SqliteError when the disk fails, also when it prevents the end of the snapshot before this one
   */
  begin(): void;
  /** Call it before a commit is answered: whoever has the answer must find what was committed. Does not throw: that commit happened. */
  end(): void;
}

export function createSharedSnapshot(database: Database): SharedSnapshot {
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  let isScheduled = false;
  /** The disk prevented the end of a snapshot that is too old by now. */
  let isStale = false;
  const end = (): void => {
    // After a failure of the disk there may be no transaction to end.
    if (!database.open || !database.inTransaction) return;
    try {
      commit.run();
    } catch {
      // SQLite may read the schema again to end a transaction. The next look-up reports the failure if it persists.
      isStale = database.inTransaction;
    }
  };
  return {
    begin() {
      if (isStale && database.inTransaction) rollback.run();
      isStale = false;
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
