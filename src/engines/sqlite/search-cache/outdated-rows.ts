// Owns finding and wiping rows of cache files: those of memories that were deleted, or that got another content. Must never change a file
// in another way.

import { fdatasyncSync } from "node:fs";
import { type OpenBlock, readColumns, verifyRows, wipeRows } from "./block-file.ts";
import type { ChangedContent } from "./cache-facts.ts";
import type { CachedBlock } from "./manifest.ts";
import { type BlockPlace, withBlock } from "./project-files.ts";

/** A block in a file, and the range of its serials. */
export interface WrittenBlock {
  readonly place: BlockPlace;
  readonly range: Pick<CachedBlock, "firstSerial" | "lastSerial">;
}

/**
 * Wipes the rows of these memories. @param isDurable whether they are gone after a power loss, too, when this returns
 * @returns whether one of them had tags @throws UnusableFile, or errors of the file system
 */
export function wipeMemories(
  blocks: readonly WrittenBlock[],
  serials: ReadonlySet<number>,
  isDurable: boolean,
): boolean {
  let hadTags = false;
  for (const { place, range } of blocks) {
    if (!isInRange(serials, range)) continue;
    withBlock(place, "change", (block) => {
      const rows: number[] = [];
      const columns = readColumns(block);
      for (const [row, serial] of columns.serials.entries())
        if (serial > 0 && serials.has(serial)) rows.push(row);
      wipe(block, rows, isDurable);
      hadTags ||= rows.some((row) => columns.tagSets[row] !== 0);
    });
  }
  return hadTags;
}

function isInRange(
  serials: ReadonlySet<number>,
  { firstSerial, lastSerial }: WrittenBlock["range"],
): boolean {
  for (const serial of serials) if (serial >= firstSerial && serial <= lastSerial) return true;
  return false;
}

/**
 * Wipes the rows of the removed memories, and those of changed memories that have a previous content. Verifies those that were wiped before.
 * @returns how many memories the files then have together with the changed ones that are not in them
 * @throws as wipeMemories
 */
export function wipeOutdated(
  blocks: readonly WrittenBlock[],
  removed: ReadonlySet<number>,
  changes: readonly ChangedContent[],
  isDurable: boolean,
): number {
  const contents = new Map(changes.map(({ serial, content_revision }) => [serial, content_revision]));
  let known = contents.size;
  for (const { place } of blocks) {
    withBlock(place, "change", (block) => {
      const { serials, contentRevisions } = readColumns(block);
      const outdated: number[] = [];
      const free: number[] = [];
      for (const [row, serial] of serials.entries()) {
        if (serial === 0) {
          free.push(row);
          continue;
        }
        const content = contents.get(serial);
        const isOutdated =
          removed.has(serial) || (content ?? contentRevisions[row]) !== contentRevisions[row];
        if (isOutdated) outdated.push(row);
        else if (content === undefined) known += 1;
      }
      // After a power loss, a part of a row that was wiped may be as before.
      verifyRows(block, free);
      wipe(block, outdated, isDurable);
    });
  }
  return known;
}

function wipe(block: OpenBlock, rows: readonly number[], isDurable: boolean): void {
  if (rows.length > 0) wipeRows(block, rows);
  if (isDurable) fdatasyncSync(block.file);
}
