// Owns which sets of tags the manifest of a project may have: those of the rows that its blocks have. Must never change a row.

import { type RowColumns, readColumns } from "./block-file.ts";
import { type BlockPlace, openCacheFiles, placesOf, wipeTagSets, withBlock } from "./project-files.ts";

const none: ReadonlySet<number> = new Set();

/** @param changed serials of memories whose rows have earlier tags @returns the numbers of the sets of tags of all other rows */
export function tagSetsOf(
  { serials, tagSets }: Pick<RowColumns, "serials" | "tagSets">,
  changed: ReadonlySet<number> = none,
): ReadonlySet<number> {
  return new Set(tagSets.filter((_, row) => !changed.has(serials[row] ?? 0)));
}

/** Of all rows of these blocks. @throws UnusableFile, or errors of the file system */
export function tagSetsIn(places: readonly BlockPlace[], changed = none): ReadonlySet<number> {
  return new Set(places.flatMap((place) => [...tagSetsOf(withBlock(place, "read", readColumns), changed)]));
}

/**
 * Wipes the sets of tags that no row in the files has any more. Call it when the rows are wiped.
 * @param changed as in tagSetsOf: whoever uses the files reads these memories from the database
 * @throws as tagSetsIn
 */
export function wipeUnusedTags(folder: string, isDurable: boolean, changed = none): void {
  const files = openCacheFiles(folder);
  const { tagSets } = files.manifest;
  const used = tagSets.length === 0 ? none : tagSetsIn(placesOf(files), changed);
  wipeTagSets(
    files,
    tagSets.filter(([number]) => used.has(number)),
    isDurable,
  );
}
