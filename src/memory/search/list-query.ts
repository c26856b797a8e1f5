// Owns what a list of memories asks a storage engine for, and the page that it gets.

import type { PagePlace, PageStart } from "../../platform/schema/page.ts";
import type { Memory, MemoryOrigin, MemoryType } from "../memory.ts";
import type { TagFilter } from "../tags.ts";
import type { MetadataFilter } from "./metadata-filter.ts";
import type { WordFilter } from "./word-filter.ts";

export const sortKeys = ["created_at", "updated_at", "importance", "expires_at", "last_accessed_at"] as const;

/** Which memories a list has. Null: the property does not matter. */
export interface ListFilter {
  readonly type: MemoryType | null;
  /** Absent: the property does not matter. */
  readonly origin?: MemoryOrigin | null;
  readonly tags: TagFilter | null;
  /** Absent: the property does not matter. */
  readonly metadata?: MetadataFilter | null;
  /** Name of a conversation in which the words of the memory were said. Absent: it does not matter. */
  readonly conversation?: string | null;
  readonly active: boolean | null;
  /** Whether the memory has expired `now`. */
  readonly expired: boolean | null;
  readonly words: WordFilter | null;
}

export interface ListQuery extends ListFilter {
  readonly now: number;
  /** Memories without the date are last, in both directions. */
  readonly sortBy: (typeof sortKeys)[number];
  readonly direction: "asc" | "desc";
  readonly limit: number;
  readonly after: PageStart;
  /** Whether the memories of the project itself are listed, too, if the owner is a subject; absent: no. */
  readonly withProject?: boolean;
}

export interface MemoryPage extends PagePlace {
  readonly memories: readonly Memory[];
}
