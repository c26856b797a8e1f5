// Owns the search for memories that the items of an extraction supersede, before its transaction. Changes nothing.

import type { Preparation } from "../../calls/operation.ts";
import { cosine } from "../../ranking/scores.ts";
import { createTurns } from "../../scheduling/turns.ts";
import type { ExtractedItem } from "../extractor.ts";
import type { SearchQuery } from "../store.ts";
import { saidDay } from "./statement.ts";
import { maySupersede, supersedes } from "./superseding.ts";

/** A memory as it was when it was compared. */
export interface OlderMemory {
  readonly id: string;
  readonly content: string;
}

/** What an item supersedes. */
export interface OlderStatements {
  readonly memories: readonly OlderMemory[];
  /** Positions of items before it in the same call. */
  readonly items: readonly number[];
}

export const nothingOlder: OlderStatements = { memories: [], items: [] };

/** Statements about one subject are that similar; "Ana lives in Oslo." and "Ana moved to Bergen." have a cosine of 0.49. */
const leastSimilarity = 0.3;
/** Memories that are read for an item. */
const readMemories = 30;
/** Reading a hostile text takes some milliseconds of the thread that serves calls. */
const turn = createTurns();

/** An item with its vector, and those before it in the call. */
interface Placed {
  readonly item: ExtractedItem;
  readonly vector: Float32Array;
  readonly before: readonly { readonly item: ExtractedItem; readonly vector: Float32Array }[];
}

/**
 * A text of last year that is extracted today supersedes nothing that was said, or stored, since then.
 * @param tags of the call: only memories that have all of them count
 */
export async function findOlder(
  { item, vector, before }: Placed,
  tags: readonly string[],
  { store, caller: { owner }, now, signal }: Preparation,
): Promise<OlderStatements> {
  const { content, type, saidAt = now } = item;
  await turn();
  if (type === "rule" || !maySupersede(content)) return nothingOlder;
  const query: SearchQuery = {
    vector,
    words: null,
    types: ["fact", "context"],
    tags: tags.length === 0 ? null : { tags, match: "all" },
    topK: readMemories,
    minSimilarity: leastSimilarity,
    includeExpired: false,
    includeInactive: false,
    now,
  };
  const hits = await store.memories.search(owner, query, signal);
  const memories: OlderMemory[] = [];
  for (const { memory } of hits) {
    await turn();
    const isOlder = saidAt >= (saidDay(memory.content) ?? memory.createdAt);
    if (isOlder && supersedes(content, memory.content))
      memories.push({ id: memory.id, content: memory.content });
  }
  const items = before.flatMap((earlier, position) => {
    const isNear = earlier.item.type !== "rule" && cosine(vector, earlier.vector) >= leastSimilarity;
    const isOlder = saidAt >= (earlier.item.saidAt ?? now);
    return isNear && isOlder && supersedes(content, earlier.item.content) ? [position] : [];
  });
  return { memories, items };
}
