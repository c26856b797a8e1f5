// Owns the tags of the memories in a search index. Memories with the same tags share one value, so memories without tags need nothing,
// and a filter decides about each distinct set of tags once.

import type { TagFilter } from "../../../memory/tags.ts";

/** The tags of one or more memories. */
export interface TagSet {
  /** JSON text of the tags, by which equal sets are found. */
  readonly text: string;
  readonly tags: readonly string[];
  /** Memories that have these tags. */
  memories: number;
  /** The last filter that it matched. */
  matched: number;
}

/** Of a set with its entries in the maps, and of each of its tags, without their characters. Estimated. */
const bytesPerSet = 200;
const bytesPerTag = 100;

export class TagSets {
  readonly #byText = new Map<string, TagSet>();
  readonly #byTag = new Map<string, Set<TagSet>>();
  #filters = 0;
  #bytes = 0;

  /** Estimated memory use in bytes. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The set of a memory that has these tags now. `text` is a JSON array of tags; null: the memory has none. */
  add(text: string | null): TagSet | null {
    if (text === null) return null;
    const known = this.#byText.get(text) ?? this.#create(text);
    known.memories += 1;
    return known;
  }

  /** A memory no longer has these tags. */
  remove(set: TagSet | null): void {
    if (set === null) return;
    set.memories -= 1;
    if (set.memories > 0) return;
    this.#byText.delete(set.text);
    this.#bytes -= bytesOf(set);
    for (const tag of set.tags) {
      const sets = this.#byTag.get(tag);
      sets?.delete(set);
      if (sets?.size === 0) this.#byTag.delete(tag);
    }
  }

  /** Marks all sets that match. @returns the value that their `matched` has until the next call */
  mark({ tags, match }: TagFilter): number {
    this.#filters += 1;
    const holders = tags.map((tag) => this.#byTag.get(tag) ?? new Set<TagSet>());
    const rarest = holders.reduce((least, sets) => (sets.size < least.size ? sets : least));
    for (const set of match === "any" ? holders.flatMap((sets) => [...sets]) : rarest)
      if (match === "any" || holders.every((sets) => sets === rarest || sets.has(set)))
        set.matched = this.#filters;
    return this.#filters;
  }

  #create(text: string): TagSet {
    const set: TagSet = { text, tags: JSON.parse(text), memories: 0, matched: 0 };
    this.#byText.set(text, set);
    this.#bytes += bytesOf(set);
    for (const tag of set.tags) {
      const sets = this.#byTag.get(tag);
      if (sets === undefined) this.#byTag.set(tag, new Set([set]));
      else sets.add(set);
    }
    return set;
  }
}

function bytesOf({ text, tags }: TagSet): number {
  return bytesPerSet + text.length * 4 + tags.length * bytesPerTag;
}
