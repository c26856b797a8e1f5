// Owns the seam between the domains and a storage engine: composes what each domain needs. Knows no SQL.

import type { AccessReader, AccessTransaction } from "../access/store.ts";
import type { AuditReader, AuditTransaction, Retention } from "../audit/store.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { ExportRunner } from "../export/runner.ts";
import type { ExportTransaction } from "../export/store.ts";
import type { MemoryReader, MemoryTransaction } from "../memory/store.ts";

/** Reads see every answered write. */
export interface Store {
  readonly access: AccessReader;
  readonly memories: MemoryReader;
  readonly audit: AuditReader;
  readonly retention: Retention;
  /** Works on exports once it is started; closed with the store. */
  readonly exports: Pick<ExportRunner, "start">;
  /**
   * Settles a call in one transaction together with its audit record and answers after the commit.
   * @throws Refusal 1503 when the transaction was lost; nothing of the call has happened then.
   */
  commit(call: Call): Promise<Answer>;
  /** Why calls cannot be performed now, for people; empty when they can. Answers within a second. */
  readiness(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** One transaction. Its methods are the only thing that the second half of a call may await. */
export interface Transaction {
  readonly access: AccessTransaction;
  readonly memories: MemoryTransaction;
  readonly audit: AuditTransaction;
  readonly exports: ExportTransaction;
  /** Runs `work` in a savepoint: when it throws, everything it changed is undone and the transaction goes on. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` and undoes everything it changed, also when it succeeds. */
  rehearse<Result>(work: () => Promise<Result>): Promise<Result>;
}
