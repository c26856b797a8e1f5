// Owns the database of a witness: of each log the last checkpoint that was cosigned. Must never answer before a change survives a power loss, and
// never let two requests continue the same state.

import { prepareRuntime } from "../../platform/native/runtime.ts";
import { openDatabase } from "../../platform/native/sqlite.ts";

export interface WitnessStates extends Disposable {
  /** The note that was cosigned last. @param log SHA-256 of its origin, hexadecimal */
  find(log: string): string | null;
  /**
   * Nothing else changes the state of any log meanwhile, not even another process.
   * @param decide gets the last note; null: there is none. Its `note` is stored; null: nothing is
   */
  change<Outcome extends { readonly note: string | null }>(
    log: string,
    decide: (last: string | null) => Outcome,
  ): Outcome;
}

/** @param runtime folder for the unpacked native libraries */
export function openWitnessStates(path: string, runtime: string): WitnessStates {
  const database = openDatabase(path, prepareRuntime(runtime));
  database.pragma("journal_mode = WAL");
  // An answered cosignature must survive a power loss: otherwise the witness could sign another history afterwards.
  database.pragma("synchronous = FULL");
  database.exec(
    "CREATE TABLE IF NOT EXISTS cosigned (log TEXT PRIMARY KEY, note TEXT NOT NULL) STRICT, WITHOUT ROWID",
  );
  const last = database.prepare<[string], string>("SELECT note FROM cosigned WHERE log = ?").pluck();
  const store = database.prepare("INSERT OR REPLACE INTO cosigned (log, note) VALUES (?, ?)");
  const find = (log: string) => last.get(log) ?? null;
  return {
    find,
    change: (log, decide) =>
      database
        .transaction(() => {
          const outcome = decide(find(log));
          if (outcome.note !== null) store.run(log, outcome.note);
          return outcome;
        })
        .immediate(),
    [Symbol.dispose]: () => void database.close(),
  };
}
