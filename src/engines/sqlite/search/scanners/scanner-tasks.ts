// Owns the kinds of tasks that the searcher has scanners perform, with the types of their values. The main thread must never know them.

import type { PackedFound } from "../../../../memory/ranking/scan/packed-found.ts";
import type { ScanQuery } from "../../../../memory/ranking/scan/scan-task.ts";
import type { BlockPlace } from "../../search-cache/project-files.ts";
import type { GroupSteps } from "../steps/turns.ts";
import type { ReadRange, ReadRows } from "./block-reader.ts";
import type { BestCandidates, BlockCandidates, ExactScoresQuery } from "./exact-scores.ts";

/** Each kind: what all tasks of a step need, one task, and its result. All of them are plain data, or typed arrays over shared memory. */
export interface TaskKinds {
  readonly scan: {
    readonly common: { readonly dimensions: number; readonly queries: readonly ScanQuery[] };
    readonly task: { readonly blocks: readonly SharedBlock[] };
    readonly result: PackedFound;
  };
  /** Scores candidates exactly. */
  readonly score: {
    readonly common: ExactScoresQuery & { readonly dimensions: number };
    /** `buffer`: the number of the block in SharedBuffers. */
    readonly task: BlockCandidates & { readonly buffer: number };
    readonly result: BestCandidates;
  };
  /** Reads memories into a part of a block. */
  readonly read: {
    readonly common: { readonly project: number; readonly model: string; readonly dimensions: number };
    /** `buffer`: its number in SharedBuffers. */
    readonly task: Omit<ReadRange, "project" | "model"> & { readonly buffer: number };
    /** Null: another model is bound. */
    readonly result: ReadRows | null;
  };
  /** Reads a block from a cache file. */
  readonly load: {
    readonly common: null;
    /** `buffer`: its number in SharedBuffers. */
    readonly task: { readonly place: BlockPlace; readonly buffer: number };
    /** False: the file is damaged or cannot be read. */
    readonly result: boolean;
  };
}

/** A ScannedBlock that names its buffer by its number in SharedBuffers. */
export interface SharedBlock {
  readonly buffer: number;
  readonly firstSlot: number;
  readonly rows: number;
}

/** Has scanners perform tasks: `const results = yield* perform("scan", common, tasks)`. */
export function* perform<Kind extends keyof TaskKinds>(
  kind: Kind,
  common: TaskKinds[Kind]["common"],
  tasks: readonly TaskKinds[Kind]["task"][],
): GroupSteps<readonly TaskKinds[Kind]["result"][]> {
  if (tasks.length === 0) return [];
  const results = yield { kind, common, tasks, isRepeatable: isRepeatable[kind] };
  // The scanners have answered tasks of this kind.
  return results as readonly TaskKinds[Kind]["result"][];
}

/**
 * False for tasks that write to shared memory or to files: a scanner that hangs may write later. The floor of `score` is no reason, because
 * it is true at any time of its group, and no other group has it.
 */
const isRepeatable: Readonly<Record<keyof TaskKinds, boolean>> = {
  scan: true,
  score: true,
  read: false,
  load: false,
};
