// Owns the plans: features, limits and rates. memledger.toml can override them.

export const planNames = ["free", "basic", "pro", "business", "custom"] as const;
export type PlanName = (typeof planNames)[number];

/** A feature that an operation of a project requires of its plan and subscription. */
export type Feature = "memory" | "audit" | "export" | "gateway";

export interface Plan {
  /** Maximum number of memories of a project, including expired and inactive ones; 0 disables memories, null: unlimited. */
  readonly memoryLimit: number | null;
  /**
   * Maximum number of passages of conversations of a project, besides its memories, above which the oldest are deleted. 0: none are stored,
   * null: unlimited. 4,000 messages a month are 48,000 a year, and few messages have more than two passages: the plan pro keeps a year.
   */
  readonly passageLimit: number | null;
  /** Days that audit records are kept; null: unlimited. */
  readonly retentionDays: number | null;
  readonly export: boolean;
  /** Whether audit records include their hash. */
  readonly hash: boolean;
  /** Calls per second for each key, refilled continuously, and the maximum burst; null: unlimited. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
}

export type Plans = Readonly<Record<PlanName, Plan>>;

export const defaultPlans: Plans = {
  free: {
    memoryLimit: 0,
    passageLimit: 0,
    retentionDays: 7,
    export: false,
    hash: false,
    rate: { perSecond: 5, burst: 5 },
  },
  basic: {
    memoryLimit: 1_000,
    passageLimit: 10_000,
    retentionDays: 30,
    export: false,
    hash: false,
    rate: { perSecond: 20, burst: 100 },
  },
  pro: {
    memoryLimit: 20_000,
    passageLimit: 100_000,
    retentionDays: 90,
    export: true,
    hash: false,
    rate: { perSecond: 50, burst: 200 },
  },
  business: {
    memoryLimit: 200_000,
    passageLimit: 1_000_000,
    retentionDays: 365,
    export: true,
    hash: true,
    rate: { perSecond: 200, burst: 1_000 },
  },
  custom: {
    memoryLimit: null,
    passageLimit: null,
    retentionDays: null,
    export: true,
    hash: true,
    rate: null,
  },
};
