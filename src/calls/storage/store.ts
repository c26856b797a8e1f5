// Owns the interface between the domains and a storage engine: composes what each domain needs. Knows no SQL.

import type { Caller } from "../../access/caller.ts";
import type { Project } from "../../access/project.ts";
import type { Answer } from "../contract/answer.ts";
import type { Call } from "../contract/call.ts";
import type { AccessReader, AccessTransaction } from "./access-store.ts";
import type { AttestationStore } from "./attestation-store.ts";
import type { CheckReader, CheckTransaction } from "./check-store.ts";
import type { ConversationReader, ConversationTransaction } from "./conversation-store.ts";
import type { DepositStore } from "./deposit-store.ts";
import type { ExportRunner } from "./export-runner.ts";
import type { ExportTransaction } from "./export-store.ts";
import type { AuditReader, AuditTransaction, Retention } from "./ledger-store.ts";
import type { MemoryReader, MemoryTransaction } from "./memory-store.ts";
import type { ModelTransaction, ModelVectors } from "./model-change-store.ts";
import type { OpenExchange } from "./open-exchange.ts";
import type { RememberQueue, RememberTransaction } from "./remember-store.ts";
import type { ReportReader } from "./report-store.ts";
import type { StoreStatistics } from "./statistics.ts";
import type { SubjectReader, SubjectTransaction } from "./subject-store.ts";
import type { SuggestionReader, SuggestionTransaction } from "./suggestion-store.ts";

/** Reads see every answered write. */
export interface Store {
  /** Whether there were memories when it was opened: then searches are to be expected, and their threads have started. */
  readonly hadMemories: boolean;
  readonly access: AccessReader;
  readonly memories: MemoryReader;
  readonly checks: CheckReader;
  readonly suggestions: SuggestionReader;
  readonly subjects: SubjectReader;
  readonly conversations: ConversationReader;
  readonly audit: AuditReader;
  readonly attestations: AttestationStore;
  readonly deposits: DepositStore;
  readonly reports: ReportReader;
  readonly retention: Retention;
  readonly models: ModelVectors;
  readonly remembering: RememberQueue;
  /** Works on exports once it is started; closed with the store. */
  readonly exports: Pick<ExportRunner, "start">;
  /**
   * Settles a call in one transaction together with its audit record and answers after the commit.
   * @throws Refusal 1503 when the transaction was lost; nothing of the call has happened then.
   */
  commit(call: Call): Promise<Answer>;
  /**
   * Commits that an exchange has no record yet. The transaction of its record removes that. If the process ends before, the next start makes
   * a record of it. @throws Refusal 1503 when it cannot be written
   */
  openExchange(exchange: OpenExchange): Promise<void>;
  /**
   * A text of a call waits for the embedder, which has enough others. Until the result is disposed of, an engine may let calls of the
   * project wait that have embedded texts, for some milliseconds, to settle more of them in one transaction.
   */
  expectCommit(project: Project): Disposable;
  readonly statistics: StoreStatistics;
  /** Why calls cannot be performed now, for people; empty when they can. Answers within a second. */
  readiness(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * One transaction. Its methods are the only thing that the second half of a call may await. It sees its own changes, and nothing that
 * others change after `lock`. What becomes of it: TransactionOutcome. What its calls leave to do: AfterCommit.
 */
export interface Transaction {
  /**
   * The first step of every call: locks the chain that gets the call's record, until the transaction ends. It is the chain of the
   * project that the key belongs to; without a key, or when there is no such key, the chain of the installation. Whatever the decision
   * depends on (key, plan, credits, limits, revisions, head of the chain) is read after it, so that of two servers on one database one
   * waits for the other. Locking the same chain again does nothing.
   *
   * Order, so that no two transactions wait for each other: the chain of the installation first, projects after it; a call with a key
   * locks no chain but its own. An engine that settles several calls in one transaction may lock all of their chains ahead, sorted.
   *
   * SQLite: BEGIN IMMEDIATE has locked the database, so it only compares the chain's head with the one that this process wrote last.
   * A server database: SELECT ... FOR UPDATE of the project's row, and of one row for the installation.
   * @param acceptsChanges the call accepts what another program has written (audit.accept): the head is not compared
   * @returns the key and its project as they are under the lock; null without a key, or when there is no such key.
   * @throws Refusal 1503 when the chain must not be continued, because another program has changed it. Nothing of the call has happened
   * then, and the transaction continues with other calls.
   */
  lock(keyId: string | null, acceptsChanges?: boolean): Promise<Caller | null>;
  readonly access: AccessTransaction;
  readonly memories: MemoryTransaction;
  readonly checks: CheckTransaction;
  readonly suggestions: SuggestionTransaction;
  readonly subjects: SubjectTransaction;
  readonly conversations: ConversationTransaction;
  readonly audit: AuditTransaction;
  readonly exports: ExportTransaction;
  readonly models: ModelTransaction;
  readonly remembering: RememberTransaction;
  /** Runs `work` in a savepoint: when it throws, everything it changed is undone and the transaction continues. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` and undoes everything it changed, also when it succeeds. */
  dryRun<Result>(work: () => Promise<Result>): Promise<Result>;
}
