// Owns the types of what the event stream tells the overview (docs/CONSOLE.md), as far as it is shown.

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

export interface Warning {
  readonly code: string;
  readonly severity: "critical" | "warning" | "notice";
  readonly message: string;
  readonly remedy: string;
  /** Address of the view that repairs or shows it; null: there is none. */
  readonly view: string | null;
}

/** Of one to whom checkpoints are sent. */
export interface Confirmation {
  /** `cosignature`, `timestamp`, or another word. */
  readonly kind: string;
  readonly name: string;
  /** Null: nothing yet. */
  readonly confirmed_records: number | null;
  readonly confirmed_at: string | null;
  /** Chains whose newest checkpoint it does not have. */
  readonly waiting: number;
  readonly waiting_since: string | null;
  /** Null: nothing has failed. */
  readonly failure: string | null;
}

/** Null: not known, or there is none. */
export interface InstallationState {
  readonly warnings: readonly Warning[];
  readonly server: { readonly version: string; readonly started_at: string; readonly data_directory: string };
  readonly contents: {
    readonly projects: number;
    readonly memories: Readonly<Record<string, number>>;
    readonly records: number;
  } | null;
  readonly storage: {
    readonly disk: { readonly free_bytes: number; readonly total_bytes: number } | null;
    readonly directory: { readonly bytes: number; readonly parts: Readonly<Record<string, number>> } | null;
  };
  readonly ledger: {
    readonly checkpoint_at: string | null;
    readonly unsigned_records: number | null;
    readonly verified_at: string | null;
    readonly failed_chains: number;
    readonly confirmations: readonly Confirmation[] | null;
  };
  readonly backup: {
    readonly last: { readonly at: string; readonly bytes: number; readonly path: string } | null;
    readonly schedule: { readonly folder: string; readonly every_seconds: number } | null;
  };
  readonly tls: { readonly name: string; readonly expires_at: string } | null;
  readonly model: { readonly id: string };
  readonly search: {
    readonly indexes: number;
    readonly index_bytes: number;
    readonly limit_bytes: number;
  };
}

/** The event `state`. */
export interface ServerState {
  readonly health: Health | null;
  /** Null: the session is one of a key. */
  readonly installation: InstallationState | null;
}

export interface ProjectState {
  readonly id: string;
  readonly plan: string;
  readonly subscription: string;
  /** Null: unlimited. */
  readonly memory_limit: number | null;
  readonly credits: number | null;
  readonly retention_days: number | null;
  readonly rate: { readonly per_second: number; readonly burst: number } | null;
  readonly includes_export: boolean;
  readonly includes_hash: boolean;
}

/** Numbers of memories by kind: by type, and of passages. */
export type MemoryCounts = Readonly<Record<string, number>>;

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Whether the data of an event has the member by which it is recognised. The server is of the same version as the page. */
export function isEvent<Event extends object>(data: unknown, member: keyof Event & string): data is Event {
  return typeof data === "object" && data !== null && member in data;
}
