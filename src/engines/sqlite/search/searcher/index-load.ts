// Owns how a new search index is read from cache files: the manifest is compared with the database in the transaction of the group, then the
// blocks are read and verified, those of a large project by other threads. Whatever is wrong, the index stays empty, and is built from the
// database.

import { join } from "node:path";
import { metadataBytesPerRow, type RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { CacheFacts } from "../../search-cache/cache-facts.ts";
import { preloadedPerScanner } from "../../search-cache/limits.ts";
import {
  type BlockPlace,
  type CacheFiles,
  openCacheFiles,
  placesOf,
  tryReadingBlock,
} from "../../search-cache/project-files.ts";
import type { SearchIndex } from "../index/search-index.ts";
import { localBlocksMax } from "../limits.ts";
import { perform } from "../scanners/scanner-tasks.ts";
import type { Pause } from "../steps/pause.ts";
import type { GroupSteps } from "../steps/turns.ts";
import type { Searcher } from "./searcher.ts";

interface Load {
  /** Id of the project. */
  readonly project: string;
  readonly facts: CacheFacts;
  readonly pause: Pause;
  /** Whether somebody waits for it. Otherwise it may be paused after each few blocks. */
  readonly isAwaited: boolean;
}

/** Reads the files of the project into the index, which must be new. Changes after the revision of the files are missing then. */
export function* loadIndex(
  index: SearchIndex,
  searcher: Searcher,
  { project, facts, pause, isAwaited }: Load,
): GroupSteps<void> {
  const { folder, copies, indexes, buffers } = searcher;
  const files = findFiles(join(folder, project), project, facts);
  if (files === null) return;
  const { manifest } = files;
  const places = placesOf(files);
  indexes.makeRoom(
    places.reduce((sum, { capacity }) => sum + capacity, 0) * (manifest.dimensions + metadataBytesPerRow),
  );
  const blocks = places.map(({ capacity }) => index.takeBlock(capacity));
  let isAdopted = false;
  try {
    const isRead = yield* readAll(searcher, places, blocks, isAwaited);
    pause.restart();
    if (!isRead) return;
    isAdopted = true;
    index.beginRestore(manifest);
    const tagTexts: string[] = [];
    for (const [number, text] of manifest.tagSets) tagTexts[number - 1] = text;
    index.reserve(
      blocks.reduce((sum, { capacity }) => sum + capacity, 0),
      blocks,
    );
    let newestContentRevision = 0;
    for (const block of blocks) {
      index.adopt(block, [{ firstRow: 0, rows: block.capacity, tagTexts }]);
      for (const revision of block.contentRevisions)
        newestContentRevision = Math.max(newestContentRevision, revision);
      yield* pause.ifDue();
    }
    copies.remember(
      index,
      manifest.blocks.map(({ id }) => id),
    );
    index.assume(manifest.revision, newestContentRevision);
  } finally {
    // A task of a group that was given up may still write to its block.
    if (!isAdopted) for (const { buffer } of blocks) buffers.release(buffer);
  }
}

function findFiles(path: string, id: string, facts: CacheFacts): CacheFiles | null {
  try {
    const files = openCacheFiles(path);
    const project = facts.project(id);
    return project === null || facts.mismatch(files.manifest, project) !== null ? null : files;
  } catch {
    return null;
  }
}

function* readAll(
  { buffers, scanners }: Searcher,
  places: readonly BlockPlace[],
  blocks: readonly RowBlock[],
  isAwaited: boolean,
): GroupSteps<boolean> {
  if (places.length <= localBlocksMax)
    return places.every((place, at) =>
      tryReadingBlock(place, new Uint8Array(blocks[at]?.buffer ?? new ArrayBuffer(0))),
    );
  const tasks = places.flatMap((place, at) => {
    const buffer = blocks[at]?.buffer;
    return buffer === undefined ? [] : [{ place, buffer: buffers.numberOf(buffer) }];
  });
  const atOnce = isAwaited ? tasks.length : scanners * preloadedPerScanner;
  for (let first = 0; first < tasks.length; first += atOnce) {
    const results = yield* perform("load", null, tasks.slice(first, first + atOnce));
    if (!results.every((isRead) => isRead)) return false;
  }
  return true;
}
