// Owns which passages are in a prompt only because of found ones: what was said next to them, without which they may not be understood. Must
// never replace a found memory.

import { withoutRepeated } from "../../../memory/extraction/conversation-order.ts";
import { understoodMax } from "../../../memory/limits.ts";
import type { Memory } from "../../../memory/memory.ts";
import { promptLineLength } from "../../../memory/search/prompt.ts";
import type { Preparation } from "../../contract/operation.ts";

interface Room {
  /** What the found ones have left of the budget. */
  readonly characters: number;
  /** Whether passages of the project itself are among the found ones. */
  readonly withProject: boolean;
  /** As Candidates. */
  readonly isSelected: (memory: Memory) => boolean;
}

/** @param found best first. @returns no memory twice, and none whose words a found one has */
export async function findNeighbours(
  found: readonly Memory[],
  { characters, withProject, isSelected }: Room,
  { store, caller, now, signal }: Pick<Preparation, "store" | "caller" | "now" | "signal">,
): Promise<readonly Memory[]> {
  const passages = found
    .filter(({ passage, origins }) => passage && origins[0]?.conversation != null)
    .slice(0, understoodMax);
  if (passages.length === 0 || characters === 0) return [];
  const query = { passages: passages.map(({ id }) => id), withProject, now };
  const beside = await store.conversations.neighbours(caller.owner, query, signal);
  const taken: Memory[] = [];
  let left = characters;
  for (const each of beside.flatMap(({ before, after }) => [before, after])) {
    if (each === null || !isSelected(each)) continue;
    const length = promptLineLength(each);
    const all = [...found, ...taken, each];
    if (length > left || withoutRepeated(all, ({ content }) => content).length < all.length) continue;
    taken.push(each);
    left -= length;
  }
  return taken;
}
