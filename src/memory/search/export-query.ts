// Owns what is asked of an export of memories, and a page of it.

import type { Memory, MemoryOrigin, MemoryType } from "../memory.ts";
import type { TagFilter } from "../tags.ts";
import type { MetadataFilter } from "./metadata-filter.ts";

/** One page of all memories, oldest first. */
export interface ExportQuery {
  /** Null: all types. */
  readonly type: MemoryType | null;
  /** Null or absent: both. */
  readonly origin?: MemoryOrigin | null;
  readonly tags: TagFilter | null;
  /** Null or absent: whatever the metadata is. */
  readonly metadata?: MetadataFilter | null;
  readonly withVectors: boolean;
  /** `next` of the page before; null: the first page. */
  readonly cursor: string | null;
  readonly limit: number;
  /** As of ListQuery. */
  readonly withProject?: boolean;
}

/** The model that has made the vectors. */
export interface VectorModel {
  readonly id: string;
  readonly sha256: string;
  readonly dimensions: number;
}

export interface ExportPage {
  readonly memories: readonly Memory[];
  /** Those of the memories, in their order; null: not wanted. */
  readonly vectors: { readonly model: VectorModel; readonly vectors: readonly Float32Array[] } | null;
  /** Opaque, and tells nothing about other projects; null: the last page. */
  readonly next: string | null;
}
