// Owns what the searcher, the main thread and the scanners tell each other about a group of searches. The main thread passes tasks and
// results on: only the searcher and the scanners know what they mean. Must never name a kind of task or of request.

import type { Owner } from "../../../../memory/owner.ts";
import type { RefusedRequest } from "../../../../platform/threads/protocol.ts";
import type { CopyRequest } from "../../search-cache/copy-steps.ts";

/**
 * Searches of one project (an id) that are answered by one pass over its indexes, in one read transaction. At most one group of a project is
 * open, from `begin` until its outcomes or `end`, so no index changes while its blocks are scanned.
 */
export interface GroupRequest {
  /** The name of a search, such as `search` or `findSimilar`. */
  readonly name: string;
  readonly owner: Owner;
  readonly query: unknown;
}

/** To the searcher, which answers with a SearcherAnswer. */
export type GroupMessage =
  | { readonly begin: number; readonly project: string; readonly requests: readonly GroupRequest[] }
  /**
   * The cache files of a project (an id) are read into memory before anybody searches it. A group like the others; its only outcome has a
   * PreloadOutcome. `bytes`: of the files.
   */
  | { readonly preload: number; readonly project: string; readonly bytes: number }
  /** The results of the tasks of the last step, in their order. */
  | { readonly continue: number; readonly results: readonly unknown[] };

/** To the searcher. */
export type ToSearcher =
  | GroupMessage
  /** Nobody waits for the group any more, or one of its tasks cannot be performed. The answer is null. */
  | { readonly end: number }
  /** The answer is a SearchStatistics. */
  | { readonly statistics: true }
  /** An index is copied for its cache files. The answer is that of IndexCopies. */
  | { readonly copy: CopyRequest };

export interface SearcherAnswer {
  readonly step: Step;
  /** Null: no change. */
  readonly buffers: BufferChanges | null;
}

/** What follows in a group: its end, or tasks whose results `continue` needs. */
export type Step =
  /** In the order of the requests. The group is closed. */
  { readonly outcomes: readonly GroupOutcome[] } | { readonly work: GroupWork };

/** One search of a group may be refused alone. */
export type GroupOutcome = { readonly answer: unknown } | { readonly refused: RefusedRequest };

/** Tasks for scanners, 3 to 5 ms each, which may be performed in any order and at once. */
export interface GroupWork {
  readonly kind: string;
  /** What all tasks need. Each scanner receives it once. */
  readonly common: unknown;
  /** None: the searcher has worked for a while, and the group continues after other projects had their turns. */
  readonly tasks: readonly unknown[];
  /**
   * Whether a task whose scanner has ended or hangs may be performed again by another one: not if it writes to shared memory or to a
   * file, because a scanner that hangs may write later. Then the group is ended.
   */
  readonly isRepeatable: boolean;
}

/**
 * Buffers that tasks name by their numbers. Passing one to a thread costs 10 µs, and collections of garbage, because its bytes are
 * counted as new ones of the thread. So each buffer is passed to each scanner once, and stays there until it is forgotten.
 */
export interface BufferChanges {
  readonly shared: readonly SharedBuffer[];
  readonly forgotten: readonly number[];
}

export interface SharedBuffer {
  /** Above 0, never used again by the same searcher. */
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
}

/** To a scanner. */
export type ToScanner =
  /** The answer is null. */
  | { readonly buffers: BufferChanges }
  /** The answer is the result of the task. */
  | { readonly task: unknown; readonly kind: string; readonly common: CommonValue };

/** `GroupWork.common`: all tasks of a scanner with the same number have the same value, and only the first one of them contains it. */
export interface CommonValue {
  readonly number: number;
  readonly value?: unknown;
  /** Numbers that no task has from now on. */
  readonly forgotten: readonly number[];
}
