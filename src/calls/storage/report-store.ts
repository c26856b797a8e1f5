// Owns the interface to the numbers of a period that a report needs of each chain: counts and ends only, no record.

import type { PlanName } from "../../access/plan.ts";
import type { Attestation } from "./attestation-store.ts";
import type { ChainOwner } from "./ledger-store.ts";

/** Times are in milliseconds since 1970; both ends are included. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A project that has a chain. */
export interface ReportedOwner {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /** Overrides the plan; null: as in the plan. */
  readonly retentionDays: number | null;
  /** Null: it was not deleted. */
  readonly deletedAt: number | null;
}

export interface ReportedOwners {
  /** The oldest first. */
  readonly owners: readonly ReportedOwner[];
  /** How many further ones there are. */
  readonly more: number;
}

interface PlacedRecord {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
}

/** What retention has removed at once. */
export interface Removal {
  readonly at: number;
  /** A signed note. */
  readonly note: string;
}

/** What one third party has stated: the newest statement, and how many there are. */
export interface SourceStatements extends Pick<Attestation, "kind" | "source" | "at"> {
  /** Number of records that its checkpoint covers. */
  readonly size: number;
  /** How many of its statements are stored. */
  readonly count: number;
}

/** A chain in a period. */
export interface ChainPeriod {
  readonly chain: string;
  /** The newest record that retention has removed; 0: none. */
  readonly removedThrough: number;
  /** Of the period; null: it has no record. */
  readonly first: PlacedRecord | null;
  readonly last: PlacedRecord | null;
  /** Checkpoints that were signed in the period. */
  readonly checkpoints: number;
  /** From the beginning of the period on, the newest first. */
  readonly removals: readonly Removal[];
  readonly moreRemovals: number;
  readonly attestations: readonly SourceStatements[];
  /** The newest checkpoint that others have attested, with all their signatures; null: there is none. */
  readonly attested: {
    readonly size: number;
    readonly note: string;
    /** Base64 of the token; null: there is none. */
    readonly timestamp: string | null;
  } | null;
}

/** Records of the same kind. */
export interface CountedCalls {
  readonly action: string;
  /** Null: the call succeeded, or an appended record has no code. */
  readonly code: number | null;
  readonly isSuccess: boolean;
  /** Whether the server has performed the call; false: a client has appended the record. */
  readonly isOwn: boolean;
  readonly count: number;
}

/** `signal` works as in MemoryReader. */
export interface ReportReader {
  owners(limit: number): Promise<ReportedOwners>;
  /** Null: there is no chain. */
  chain(owner: ChainOwner, period: Period, signal: AbortSignal): Promise<ChainPeriod | null>;
  /**
   * Counts records between two positions, both included, in steps.
   * @param subject pseudonym: only those of its calls; null: all
   */
  count(
    owner: ChainOwner,
    span: { readonly first: number; readonly last: number },
    subject: string | null,
    signal: AbortSignal,
  ): Promise<readonly CountedCalls[]>;
}
