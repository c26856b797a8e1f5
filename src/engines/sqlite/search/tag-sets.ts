// Owns the tags of the memories in a search index. Memories with the same tags share one value, so memories without tags need nothing,
// and a filter decides about each distinct set of tags once.

import type { TagFilter } from "../../../memory/tags.ts";

/** The tags of one or more memories. */
export interface TagSet {
  /** JSON text of the tags, by which equal sets are found. */
  readonly text: string;
  readonly tags: readonly Tag[];
  /** Memories that have these tags. */
  memories: number;
  /** The last filter that it matched. */
  matched: number;
}

interface Tag {
  readonly text: string;
  readonly sets: Set<TagSet>;
}

/** Of a set and of a tag with their entries in the maps, and of a tag in a set; without characters. Measured. */
const bytesPerSet = 400;
const bytesPerTag = 400;
const bytesPerTagInSet = 50;

export class TagSets {
  readonly #sets = new Map<string, TagSet>();
  readonly #tags = new Map<string, Tag>();
  #filters = 0;
  #bytes = 0;

  /** Estimated memory use in bytes. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The set of a memory that has these tags now. `text` is a JSON array of tags; null: the memory has none. */
  add(text: string | null): TagSet | null {
    if (text === null) return null;
    const known = this.#sets.get(text) ?? this.#create(text);
    known.memories += 1;
    return known;
  }

  /** A memory no longer has these tags. */
  remove(set: TagSet | null): void {
    if (set === null) return;
    set.memories -= 1;
    if (set.memories > 0) return;
    this.#sets.delete(set.text);
    this.#bytes -= bytesOf(set);
    for (const tag of set.tags) {
      tag.sets.delete(set);
      if (tag.sets.size > 0) continue;
      this.#tags.delete(tag.text);
      this.#bytes -= bytesPerTag + tag.text.length;
    }
  }

  /** Marks all sets that match. @returns the value that their `matched` has until the next call */
  mark({ tags, match }: TagFilter): number {
    this.#filters += 1;
    const holders = tags.map((tag) => this.#tags.get(tag)?.sets ?? new Set<TagSet>());
    if (match === "any") {
      for (const sets of holders) for (const set of sets) set.matched = this.#filters;
      return this.#filters;
    }
    // The rarest tag first, because only its sets are looked at.
    const [rarest = new Set(), ...others] = holders.sort((a, b) => a.size - b.size);
    for (const set of rarest) if (others.every((sets) => sets.has(set))) set.matched = this.#filters;
    return this.#filters;
  }

  #create(text: string): TagSet {
    const names: readonly string[] = JSON.parse(text);
    const tags = names.map((name) => this.#tags.get(name) ?? this.#createTag(name));
    const set: TagSet = { text, tags, memories: 0, matched: 0 };
    for (const tag of tags) tag.sets.add(set);
    this.#sets.set(text, set);
    this.#bytes += bytesOf(set);
    return set;
  }

  #createTag(text: string): Tag {
    const tag: Tag = { text, sets: new Set() };
    this.#tags.set(text, tag);
    this.#bytes += bytesPerTag + text.length;
    return tag;
  }
}

function bytesOf({ text, tags }: TagSet): number {
  return bytesPerSet + text.length + tags.length * bytesPerTagInSet;
}
