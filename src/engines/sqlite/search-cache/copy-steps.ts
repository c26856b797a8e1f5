// Owns what the searcher and the main thread tell each other while the index of a project is written to cache files, and
// when it was read from them before a search. The main thread passes copies on to the thread that writes.

import type { CacheManifest } from "./manifest.ts";

/** To the searcher. */
export type CopyRequest =
  /** Answered with DueCopy[]: the indexes that differ from their files, the one that was used last first. */
  | { readonly due: true }
  /** Answered with the ids of the projects that were searched since the last such request. */
  | { readonly searched: true }
  /** Answered with a CopyStep, as the next two. `project`: its id. */
  | { readonly begin: string }
  /** Ids of the blocks that the files have already. */
  | { readonly kept: readonly string[] }
  /** The id of the block that was copied last. */
  | { readonly written: string }
  /** The copy is complete, and the files have these blocks; null: it was given up. Answered with null. */
  | { readonly published: readonly string[] | null };

/** `absent`: there are no usable files. `full`: there is no room without taking that of another index. */
export type PreloadOutcome = "loaded" | "absent" | "full";

export interface DueCopy {
  /** Id of the project. */
  readonly project: string;
  /** Of the blocks that were changed. */
  readonly bytes: number;
}

/** What follows; null: the copy cannot be made, because the index has left the memory or its blocks have changed too much. */
export type CopyStep = CopyBegin | CopyLater | CopiedBlock | CopyEnd | null;

/** A group is changing the index: nobody knows of which revision it is. */
export interface CopyLater {
  readonly isInUse: true;
}

/** The searcher makes one copy at a time. */
export interface CopyBegin {
  readonly draft: CacheDraft;
}

/** From here on changes may be missing in the blocks: memories change while blocks are copied. */
export interface CacheDraft extends Pick<CacheManifest, "project" | "dimensions" | "revision" | "epochs"> {}

/** The searcher writes to the memory again in the next step. */
export interface CopiedBlock {
  readonly image: SharedArrayBuffer;
}

export interface CopyEnd {
  readonly manifest: Omit<CacheManifest, "blocks">;
  /** Ids, in their order; empty if `only` is not null. */
  readonly blocks: readonly string[];
  /** The image of the only block. */
  readonly only: SharedArrayBuffer | null;
}
