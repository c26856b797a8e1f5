// Owns how a search index reads many changes at once: threads that perform tasks read ranges of revisions into new blocks, and the index
// adopts these.
//
// Each task has a snapshot of its own, newer than that of the group. Let R be the newest revision in the group's snapshot. The tasks read
// memories by their revisions up to R, each revision once. What changes later gets a revision above R, or an epoch: so a task finds a memory
// as it was at R, or not at all. Afterwards the group begins a new transaction and reads all changes after R there, as always: memories
// that were changed or removed meanwhile are replaced or dropped, and those of a type that was deleted are dropped by its epoch.

import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import { unavailable } from "../../../../platform/errors.ts";
import type { IndexStatements } from "../index/index-statements.ts";
import type { SearchIndex } from "../index/search-index.ts";
import { readRowsMax } from "../limits.ts";
import { perform } from "../scanners/scanner-tasks.ts";
import type { Pause } from "../steps/pause.ts";
import type { SharedBuffers } from "../steps/shared-buffers.ts";
import type { GroupSteps } from "../steps/turns.ts";

interface Build {
  readonly project: number;
  readonly model: { readonly sha256: string; readonly dimensions: number };
  readonly statements: IndexStatements;
  readonly pause: Pause;
}

/** The revisions that a task reads: after `after`, up to `through`. */
interface Range {
  readonly after: number;
  readonly through: number;
}

/**
 * Reads what has changed since the revision of the index, and begins a new transaction, in which the index has to catch up.
 * @throws Refusal 1503 when the model was changed meanwhile
 */
export function* readByOthers(
  index: SearchIndex,
  buffers: SharedBuffers,
  { project, model, statements, pause }: Build,
): GroupSteps<void> {
  const ranges = yield* divide(project, index.revision, statements, pause);
  const blocks = blocksFor(ranges).map((part) => ({
    part,
    block: index.takeBlock(part.length * readRowsMax),
  }));
  const adopted = new Set<RowBlock>();
  try {
    const tasks = blocks.flatMap(({ part, block: { buffer } }) => {
      const number = buffers.numberOf(buffer);
      return part.map((range, at) => ({ ...range, buffer: number, firstRow: at * readRowsMax }));
    });
    const { sha256, dimensions } = model;
    const results = yield* perform("read", { project, model: sha256, dimensions }, tasks);
    pause.restart();
    const read = results.filter((result) => result !== null);
    if (read.length < results.length) throw otherModel;
    index.reserve(
      read.reduce((sum, { rows }) => sum + rows, 0),
      blocks.map(({ block }) => block),
    );
    for (const [at, { block, part }] of blocks.entries()) {
      const first = at * blockTasks;
      adopted.add(block);
      index.adopt(block, read.slice(first, first + part.length));
      yield* pause.ifDue();
    }
    const contents = read.map(({ newestContentRevision }) => newestContentRevision);
    index.assume(
      ranges.at(-1)?.through ?? index.revision,
      contents.reduce((a, b) => Math.max(a, b), 0),
    );
  } finally {
    // A task of a group that was given up may still write to its block.
    for (const { block } of blocks) if (!adopted.has(block)) buffers.release(block.buffer);
  }
  statements.renew();
}

const blockTasks = rowsPerBlock / readRowsMax;

/** The ranges of each block. */
function blocksFor(ranges: readonly Range[]): readonly (readonly Range[])[] {
  return Array.from({ length: Math.ceil(ranges.length / blockTasks) }, (_, at) =>
    ranges.slice(at * blockTasks, (at + 1) * blockTasks),
  );
}

/** Each has `readRowsMax` memories at most. Those that a bulk delete has hidden count, too: their rows stay free. */
function* divide(
  project: number,
  revision: number,
  statements: IndexStatements,
  pause: Pause,
): GroupSteps<readonly Range[]> {
  const ranges: Range[] = [];
  for (let after = revision; ; ) {
    const through = statements.endOf(project, after, readRowsMax);
    if (through === null) return ranges;
    ranges.push({ after, through });
    after = through;
    yield* pause.ifDue();
  }
}

const otherModel = unavailable(
  "The embedding model was changed while this call was performed. Send the call again.",
);
