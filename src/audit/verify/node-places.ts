// Owns which nodes of a Merkle tree are stored: those of every eighth level, and those that replace removed leaves. Must never hash.

/** Only nodes of every eighth level are stored as they become complete. */
export const levelsPerStored = 8;

/** The leaves from position * 2^level to before (position + 1) * 2^level. Level 0: one leaf. */
export interface NodePlace {
  readonly level: number;
  readonly position: number;
}

/**
 * Where the nodes of the levels 0 to 7 are that are stored when the first `count` leaves are removed, instead of those of an earlier cut. The
 * kept sizes are `count` and the sizes of checkpoints up to it, which always have 1. With these nodes, every path of leaf 0 and of the
 * remaining leaves, in kept sizes and later ones, can be computed, and every path between these sizes.
 * @returns in the order of level and position
 */
export function placesAtCut(count: number, checkpointSizes: readonly number[]): NodePlace[] {
  const places = new Map<string, NodePlace>();
  for (const size of [count, ...checkpointSizes.filter((size) => size <= count)])
    for (const place of placesForSize(size))
      if ((place.position + 1) * 2 ** place.level <= count)
        places.set(`${place.level} ${place.position}`, place);
  return [...places.values()].toSorted(
    (one, other) => one.level - other.level || one.position - other.position,
  );
}

/** The last complete node of a tree of this size, and the nodes beside its way up to level 8. */
function placesForSize(size: number): NodePlace[] {
  let level = 0;
  while (level < levelsPerStored && size % 2 ** (level + 1) === 0) level++;
  if (level === levelsPerStored) return [];
  const places = [{ level, position: size / 2 ** level - 1 }];
  for (; level < levelsPerStored; level++) {
    const position = Math.floor((size - 1) / 2 ** level);
    places.push({ level, position: position % 2 === 0 ? position + 1 : position - 1 });
  }
  return places;
}
