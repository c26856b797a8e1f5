// Owns what the searcher, the main thread and the scanners tell each other about a group of searches. The main thread passes tasks and
// results on: only the searcher and the scanners know what they mean. Must never name a kind of task or of request.

import type { Project } from "../../../access/project.ts";
import type { RefusedRequest, ThreadError } from "../../../threads/protocol.ts";

/**
 * Searches of one project that are answered by one pass over its index, in one read transaction. At most one group of a project is open,
 * from `begin` until its outcomes or `end`, so no index changes while its blocks are scanned.
 */
export interface GroupRequest {
  /** The name of a search, such as `search` or `findSimilar`. */
  readonly name: string;
  readonly query: unknown;
}

/** To the searcher; it answers `begin` and `continue` with a SearcherAnswer. */
export type ToSearcher =
  /** `project` is null for work of the server itself, of which one group is open at most, too. */
  | {
      readonly begin: number;
      readonly project: Project | null;
      readonly requests: readonly GroupRequest[];
    }
  /** The results of the tasks of the last step, in their order. */
  | { readonly continue: number; readonly results: readonly unknown[] }
  /** Nobody waits for the group any more, or one of its tasks cannot be performed. */
  | { readonly end: number };

export interface SearcherAnswer {
  readonly step: Step;
  /** Null: no change. */
  readonly buffers: BufferChanges | null;
}

/** What follows in a group: its end, or tasks whose results `continue` needs. */
export type Step =
  /** In the order of the requests. The group is closed. */
  { readonly outcomes: readonly GroupOutcome[] } | { readonly work: GroupWork };

/** One search of a group may fail alone. */
export type GroupOutcome =
  | { readonly answer: unknown }
  | { readonly refused: RefusedRequest }
  | { readonly failed: ThreadError };

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
 * Buffers that tasks name by their numbers. Passing one to a thread costs 10 µs, and the thread believes that it has allocated the
 * bytes, so it collects garbage. So each buffer is passed to each scanner once, and stays there until it is forgotten.
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
  | { readonly buffers: BufferChanges }
  /** The answer is the result. */
  | {
      readonly kind: string;
      /** Tasks with the same number have the same `common`, of which only the first one of a scanner has it. */
      readonly step: number;
      readonly common?: unknown;
      readonly task: unknown;
    };
