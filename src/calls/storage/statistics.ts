// Owns what an engine tells about itself for metrics: plain numbers. Nothing here names a project, except where that is asked for.

import type { PlanName } from "../../access/plan.ts";
import type { Export, ExportStatus } from "../../audit/export/export.ts";
import type { Kind } from "../../memory/kind.ts";
import type { QueueCounts } from "../../platform/scheduling/fair-queue.ts";
import type { DistributionState } from "../../platform/statistics/distribution.ts";
import type { NewProject } from "./access-store.ts";
import type { ChainOwner } from "./ledger-store.ts";

/** Each method may take as long as the thread that answers it is busy; the caller limits that. An engine answers null for what it lacks. */
export interface StoreStatistics {
  /** Answers at once. */
  current(): CurrentStatistics;
  /** @throws Refusal 1503 while the thread restarts */
  groups(): Promise<GroupStatistics | null>;
  /** Null also before the first search. @throws Refusal 1503 while the thread restarts */
  searches(): Promise<SearchStatistics | null>;
  /** What the database contains. `byProject`: whether to count each project. @throws Refusal 1503, also when the disk fails */
  contents(byProject: boolean): Promise<DatabaseContents | null>;
  /** Sizes of the files. */
  files(): Promise<DatabaseFiles | null>;
  /** What is there of one project, or of the installation. @throws Refusal 1503, also when the disk fails */
  ofChain(owner: ChainOwner): Promise<ChainContents | null>;
  /** Keys that expire soon, and projects that have used up what they may use. @throws as `ofChain` does */
  nearLimits(query: NearLimitsQuery): Promise<NearLimits | null>;
  /** Calls that have records. @throws as `ofChain` does */
  pastCalls(query: PastCallsQuery): Promise<PastCalls | null>;
  /** What answers of the gateway have cost since a time. @throws as `ofChain` does */
  gatewayCost(owner: ChainOwner, from: number): Promise<GatewayCost | null>;
}

/** Times are in milliseconds since 1970. */
export interface PastCallsQuery {
  readonly from: number;
  readonly before: number;
  /** How many records are read at most: the newest. */
  readonly most: number;
}

export interface PastCalls {
  /** From when on all calls with records are in it. */
  readonly since: number;
  /** The newest first. */
  readonly calls: readonly Readonly<{
    at: number;
    operation: string;
    code: number;
    seconds: number;
    /** Id; null: no project. */
    project: string | null;
  }>[];
}

export interface GatewayCost {
  /** Answers whose tokens are known. */
  readonly calls: number;
  /** Estimate from the prices in the settings. */
  readonly usd: number;
  /** Those of them without a cost: the settings have no price of the model, or it is 0. */
  readonly withoutCost: number;
}

export interface CurrentStatistics {
  readonly queues: readonly NamedQueue[];
  /** How often each thread was started again. */
  readonly restarts: readonly Readonly<{ thread: string; restarts: number }>[];
  /** Seconds that searches waited for their turn, from the call until the thread gets the search. */
  readonly searchWaits: DistributionState | null;
  /** Searches that were answered together. */
  readonly searchGroups: DistributionState | null;
  /** Seconds of the tasks into which searches are divided, from the moment when a thread gets a task. */
  readonly searchTasks: DistributionState | null;
  /** When a verification through the API has last reached the newest record of a chain, in milliseconds since 1970; null: not since the start. */
  readonly verifiedAt: number | null;
  /** Chains whose last verification through the API found a failure. */
  readonly chainsWithFailure: number;
}

export interface NamedQueue extends QueueCounts {
  readonly queue: QueueName;
}

export const queueNames = [
  "writer",
  "reader",
  "searcher",
  "scanners",
  "embedder_queries",
  "embedder_passages",
  "reranker",
  "extractor",
  "language_model",
] as const;
export type QueueName = (typeof queueNames)[number];

/** Since the thread that writes was started. */
export interface GroupStatistics {
  /** Calls of a group. */
  readonly calls: DistributionState;
  /** Seconds of a transaction of a group, with its commit. */
  readonly transactionSeconds: DistributionState;
  /** Seconds of a commit, with its fsync. */
  readonly commitSeconds: DistributionState;
  /** Transactions that were rolled back. */
  readonly rolledBack: number;
  readonly records: number;
  /** Of the entries and the compressed payloads. */
  readonly recordBytes: number;
  /** By how much the system clock is ahead of the time that retention uses. More than a minute: it jumped, and retention waits for a day. */
  readonly retentionClockAheadMs: number;
}

/**
 * catch_up: read the changes since the last search. scan: approximate scores of all memories. rescore: exact scores of the candidates.
 * database: the search of a project that is too large for an index, with all of its stages. read: the memories of the results.
 */
export const searchStages = ["catch_up", "scan", "rescore", "database", "read"] as const;
export type SearchStage = (typeof searchStages)[number];

/** Since the thread that searches was started. */
export interface SearchStatistics {
  readonly stages: Readonly<Record<SearchStage, DistributionState>>;
  /** Memories whose exact score a search needed. */
  readonly rescored: DistributionState;
  readonly indexes: number;
  /** Of all indexes, estimated. */
  readonly indexBytes: number;
}

export interface DatabaseContents {
  readonly memories: readonly Readonly<{ type: Kind; memories: number }>[];
  readonly projects: number;
  /** Records of all chains that are in the database. */
  readonly records: number;
  /** Those that no checkpoint covers. */
  readonly unsignedRecords: number;
  /** When the oldest of them was written, in milliseconds since 1970; null: there is none. */
  readonly oldestUnsignedAt: number | null;
  /** When the newest checkpoint of any chain was signed; null: never. */
  readonly checkpointAt: number | null;
  readonly exports: readonly Readonly<{ status: ExportStatus; exports: number }>[];
  /** Answers of the gateway that are still to be remembered. */
  readonly rememberTasks: number;
  /** The pages of the database file that contain nothing. */
  readonly freeBytes: number;
  /** Empty unless projects are counted. */
  readonly ofProjects: readonly ProjectContents[];
}

export interface ProjectContents {
  /** Id. */
  readonly project: string;
  readonly memories: readonly Readonly<{ type: Kind; memories: number }>[];
  readonly records: number;
}

export interface ChainContents {
  /** Number of the newest record; 0: there is none. */
  readonly newestSequence: number;
  /** Of the project; empty for the installation. */
  readonly memories: readonly Readonly<{ type: Kind; memories: number }>[];
  /** Of the project, newest first, at most as many as the list of exports has. Null: there is no such project any more. */
  readonly project: NewProject | null;
  readonly exports: readonly Export[];
}

/** The project as it is now. */
export interface NearLimitsQuery {
  /** Keys that are valid at the first time and expire before the second one, in milliseconds since 1970. */
  readonly now: number;
  readonly expiresBefore: number;
  /** Maximum number of memories of each plan; null: unlimited. */
  readonly memoryLimits: Readonly<Record<PlanName, number | null>>;
  /** Projects that have used at least this share of their maximum. */
  readonly memoryShareMin: number;
  /** Projects that have at most as many credits. */
  readonly creditsMax: number;
  /** How many of each are named. */
  readonly namedMax: number;
}

/** How many there are, and the first ones. */
interface Named<Item> {
  readonly count: number;
  readonly first: readonly Item[];
}

export interface NearLimits {
  /** Those that expire first are first. */
  readonly keys: Named<Readonly<{ name: string; project: string; projectId: string; expiresAt: number }>>;
  readonly memories: Named<Readonly<{ project: string; projectId: string; memories: number; limit: number }>>;
  readonly credits: Named<Readonly<{ project: string; projectId: string; credits: number }>>;
}

export interface DatabaseFiles {
  readonly databaseBytes: number;
  /** Of the write-ahead log. */
  readonly logBytes: number;
}
