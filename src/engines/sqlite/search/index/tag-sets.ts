// Owns the tags of the memories in a search index. Memories with the same tags have the same number, 0 without tags, and a filter decides
// about each distinct set of tags once.

import type { TagFilter } from "../../../../memory/tags.ts";

/** The tags of one or more memories. */
interface TagSet {
  /** Above 0; the next set gets it when no memory has these tags any more. */
  readonly number: number;
  /** JSON text of the tags, by which equal sets are found. */
  readonly text: string;
  readonly tags: readonly Tag[];
  /** Memories that have these tags. */
  memories: number;
}

interface Tag {
  readonly text: string;
  readonly sets: Set<TagSet>;
}

const noSets: ReadonlySet<TagSet> = new Set();

/** Of a set and of a tag with their entries in the maps, and of a tag in a set; without characters. Measured. */
const bytesPerSet = 400;
const bytesPerTag = 400;
const bytesPerTagInSet = 50;

export class TagSets {
  readonly #sets = new Map<string, TagSet>();
  /** By number. */
  readonly #numbered: (TagSet | null)[] = [null];
  readonly #freeNumbers: number[] = [];
  readonly #tags = new Map<string, Tag>();
  #bytes = 0;

  /** Estimated memory use in bytes. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The number of the tags that a memory has now. `text` is a JSON array of tags; null: the memory has none. */
  add(text: string | null): number {
    if (text === null) return 0;
    const known = this.#sets.get(text) ?? this.#create(text);
    known.memories += 1;
    return known.number;
  }

  /** Another memory has the tags with this number. */
  addTo(number: number): void {
    const set = this.#numbered[number];
    if (set) set.memories += 1;
  }

  /** A memory no longer has these tags. */
  remove(number: number): void {
    const set = this.#numbered[number] ?? null;
    if (set === null) return;
    set.memories -= 1;
    if (set.memories > 0) return;
    this.#sets.delete(set.text);
    this.#numbered[number] = null;
    this.#freeNumbers.push(number);
    this.#bytes -= bytesOf(set);
    for (const tag of set.tags) {
      tag.sets.delete(set);
      if (tag.sets.size > 0) continue;
      this.#tags.delete(tag.text);
      this.#bytes -= bytesPerTag + tag.text.length;
    }
  }

  /** The number and the text of each set. */
  *entries(): Iterable<readonly [number: number, text: string]> {
    for (const { number, text } of this.#sets.values()) yield [number, text];
  }

  /** The sets of rows that are added later, with the numbers that these rows have already. Call it before anything else. */
  restore(entries: readonly (readonly [number: number, text: string])[]): void {
    for (const [number, text] of entries.toSorted(([one], [other]) => one - other)) {
      while (this.#numbered.length < number) this.#freeNumbers.push(this.#numbered.push(null) - 1);
      this.#freeNumbers.push(number);
      this.#create(text);
    }
  }

  /** For each number, 1 if a memory with these tags matches; null: no memory does. */
  matching({ tags, match }: TagFilter): Uint8Array | null {
    const holders = tags.map((tag) => this.#tags.get(tag)?.sets ?? noSets);
    // The rarest tag first, because only its sets are checked.
    const [rarest = noSets, ...others] = holders.toSorted((a, b) => a.size - b.size);
    const matched =
      match === "any"
        ? holders.flatMap((sets) => [...sets])
        : [...rarest].filter((set) => others.every((sets) => sets.has(set)));
    if (matched.length === 0) return null;
    const isMatch = new Uint8Array(this.#numbered.length);
    for (const { number } of matched) isMatch[number] = 1;
    return isMatch;
  }

  #create(text: string): TagSet {
    const names: readonly string[] = JSON.parse(text);
    const tags = names.map((name) => this.#tags.get(name) ?? this.#createTag(name));
    const number = this.#freeNumbers.pop() ?? this.#numbered.length;
    const set: TagSet = { number, text, tags, memories: 0 };
    this.#numbered[number] = set;
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
