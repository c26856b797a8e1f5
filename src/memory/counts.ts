// Owns what a storage engine is asked for, and answers, where memories are counted: by tag, by type and by state.

import type { PagePlace, PageStart } from "../platform/schema/page.ts";
import type { MemoryOrigin, MemoryType } from "./memory.ts";

export interface TagQuery {
  /** Null: all types. */
  readonly type: MemoryType | null;
  /** Null or absent: both. */
  readonly origin?: MemoryOrigin | null;
  readonly limit: number;
  readonly after: PageStart;
}

export interface TagPage extends PagePlace {
  /** The most frequent first, equally frequent ones by Unicode code points. `count`: memories, including expired and inactive ones. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
}

/** Numbers of an owner's memories. */
export interface MemoryStatistics {
  readonly byType: Readonly<Record<MemoryType, number>>;
  /** How many of the contexts are passages. */
  readonly passages: number;
  /** Active and unexpired. */
  readonly searchable: number;
  readonly inactive: number;
  readonly expired: number;
  /** Of all contents in UTF-8. */
  readonly contentBytes: number;
  /** Whether `contentBytes` is estimated from some of the memories. */
  readonly isEstimate: boolean;
  /** When a memory that still exists was last created or changed; null: there is none. */
  readonly changedAt: number | null;
}
