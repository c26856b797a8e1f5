// Owns what each plan includes: features, limits and rates. The table can be overridden in memledger.toml.

export const planNames = ["free", "basic", "pro", "business", "custom"] as const;
export type PlanName = (typeof planNames)[number];

/** What a plan and a subscription have to include before an operation of a project is allowed. */
export type Feature = "memory" | "audit" | "export";

export interface Plan {
  /** Memories per project, expired and inactive ones included; 0 switches the memory feature off, null is unlimited. */
  readonly memoryLimit: number | null;
  /** Days that audit records stay readable; null is for ever. */
  readonly retentionDays: number | null;
  readonly export: boolean;
  /** Whether the tamper-evidence hash is shown in audit records. */
  readonly hash: boolean;
  /** Calls per second and key, refilled continuously, and the largest burst; null is unlimited. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
}

export type Plans = Readonly<Record<PlanName, Plan>>;

export const defaultPlans: Plans = {
  free: { memoryLimit: 0, retentionDays: 7, export: false, hash: false, rate: { perSecond: 5, burst: 5 } },
  basic: {
    memoryLimit: 1_000,
    retentionDays: 30,
    export: false,
    hash: false,
    rate: { perSecond: 20, burst: 100 },
  },
  pro: {
    memoryLimit: 20_000,
    retentionDays: 90,
    export: true,
    hash: false,
    rate: { perSecond: 50, burst: 200 },
  },
  business: {
    memoryLimit: 200_000,
    retentionDays: 365,
    export: true,
    hash: true,
    rate: { perSecond: 200, burst: 1_000 },
  },
  custom: { memoryLimit: null, retentionDays: null, export: true, hash: true, rate: null },
};
