// Owns which memories a language model is shown beside a text: those that the caller may read, of the owner whose memories the call writes,
// and none that contains a secret. Must never show a part of a memory.

import type { FindNear, NearMemory } from "../../../memory/extraction/extractor.ts";
import type { Memory } from "../../../memory/memory.ts";
import { saidAt } from "../../../memory/origin.ts";
import { toTagFilter } from "../../../memory/tags.ts";
import { embeddingsAtOnce } from "../../../platform/limits.ts";
import { countCharacters } from "../../../platform/text/characters.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { SearchHit } from "../../storage/memory-store.ts";
import { batchesOf } from "./compare-items.ts";

/** Memories that are shown, and how many UTF-8 bytes they have together at most, so that a context of 8,192 tokens has room for the rest. */
const shownMax = 10;
const shownMaxBytes = 3_000;
/** Longer ones say more than one thing, of which a text rarely replaces everything. */
const shownMaxCharacters = 600;
/** Found for each text. */
const foundMax = 20;

/**
 * Null: the caller cannot read memories. What belongs to the project is not shown in a call for a subject, which could not change it.
 * @param tags of the call: memories without all of them are not changed by it
 */
export function createFindNear(tags: readonly string[], preparation: Preparation): FindNear | null {
  const { caller, store, embed, redactor, now } = preparation;
  if (!caller.key.permissions.includes("memory.read")) return null;
  const search = async (text: string, signal: AbortSignal): Promise<readonly SearchHit[]> => {
    const query = {
      vector: await embed(text, "passage"),
      words: text,
      types: null,
      origin: "kept",
      tags: toTagFilter(tags),
      topK: foundMax,
      minSimilarity: 0,
      includeExpired: false,
      includeInactive: false,
      now,
    } as const;
    return store.memories.search(caller.owner, query, signal);
  };
  return async (texts, signal) => {
    const best = new Map<string, SearchHit>();
    for (const batch of batchesOf(texts, embeddingsAtOnce, signal)) {
      const hits = (await Promise.all(batch.map((text) => search(text, signal)))).flat();
      for (const hit of hits) {
        const known = best.get(hit.memory.id);
        if (known === undefined || known.relevance < hit.relevance) best.set(hit.memory.id, hit);
      }
    }
    const nearest = [...best.values()]
      .filter(({ memory }) => countCharacters(memory.content) <= shownMaxCharacters)
      .sort((one, other) => other.relevance - one.relevance)
      .slice(0, 2 * shownMax)
      .map(({ memory }) => toNear(memory));
    const items = nearest.map((memory) => ({ ...memory, ...plainItem, evidence: memory.content }));
    const { items: clean } = await redactor.redactItems(items, { project: caller.project.id, signal });
    const contents = new Set(clean.map(({ content }) => content));
    return withinLimits(nearest.filter(({ content }) => contents.has(content)));
  };
}

/** What the redactor needs besides the text. */
const plainItem = { type: "fact", importance: 0, expiresAt: null } as const;

function toNear(memory: Memory): NearMemory {
  const { id, content } = memory;
  return { id, content, saidAt: saidAt(memory) };
}

function withinLimits(memories: readonly NearMemory[]): NearMemory[] {
  let bytes = 0;
  return memories.slice(0, shownMax).filter(({ content }) => {
    bytes += Buffer.byteLength(content);
    return bytes <= shownMaxBytes;
  });
}
