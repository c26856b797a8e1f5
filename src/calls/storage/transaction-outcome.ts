// Owns the three outcomes of a transaction, and how often an engine repeats one. Must not know the errors of an engine.

import { transactionAttemptsMax } from "../../platform/limits.ts";

/**
 * - `done`: it is committed and durable. Its calls are answered, and the effects that they leave are performed.
 * - `lost`: it is rolled back, and nothing of it happened. Each of its calls is answered with 1503; no effect is performed.
 * - `retry`: it is rolled back because of a conflict with another connection or server, and nothing of it happened: a lock that was not
 *   released in time, a deadlock, a serialisation failure. The engine performs it again from the beginning: its calls are settled
 *   again, with the data that the database has by then. After `transactionAttemptsMax` attempts it is `lost`.
 */
export type TransactionOutcome = "done" | "lost" | "retry";

export interface TransactionAttempts {
  /** Performs the transaction once. @throws when it was rolled back. */
  attempt(): Promise<void>;
  /** What the error that rolled it back means. */
  outcomeOf(error: unknown): Exclude<TransactionOutcome, "done">;
  /** Called before the next attempt. */
  retrying(error: unknown): void;
}

/** Resolves when the transaction is done. @throws the error of the last attempt when it is lost. */
export async function performTransaction({
  attempt,
  outcomeOf,
  retrying,
}: TransactionAttempts): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (attempts >= transactionAttemptsMax || outcomeOf(error) === "lost") throw error;
      retrying(error);
    }
  }
}
