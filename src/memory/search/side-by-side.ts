// Owns that memories of which an open suggestion says that they may contradict each other are side by side in a prompt. Changes the order
// of lines only. Pure.

/** @param saidAt when a memory was said @returns linked memories at the place of the first of them, the newest one first */
export function sideBySide<Each extends { readonly id: string }>(
  memories: readonly Each[],
  links: readonly (readonly [string, string])[],
  saidAt: (memory: Each) => number,
): readonly Each[] {
  if (links.length === 0) return memories;
  const groups = new Map(memories.map((memory) => [memory.id, [memory]]));
  for (const [id, other] of links) {
    const [one, two] = [groups.get(id), groups.get(other)];
    if (one === undefined || two === undefined || one === two) continue;
    one.push(...two);
    for (const { id: joined } of two) groups.set(joined, one);
  }
  // A set keeps the place at which a group came first.
  return [...new Set(memories.flatMap(({ id }) => [groups.get(id) ?? []]))].flatMap((group) =>
    group.length === 1 ? group : group.toSorted((one, other) => saidAt(other) - saidAt(one)),
  );
}
