// Owns a cache of posting lists: the slots of the memories of one project that contain a word, or one of several, for recently used words. The content of a
// revision never changes, so a list is only appended to; slots that were freed are removed, because another memory may be there now.

import {
  postingListsBytesMin,
  postingListsBytesPerSlot,
  postingsAtOnce,
  rowsPerBlock,
  rowsPerBlockMin,
} from "./limits.ts";
import { bytesOf, noSlots, type SlotSet, withoutSlots, withSlots } from "./scan/slot-set.ts";

/**
 * What the lists need to know of the index of the project. Whoever moves a row to another slot, or adds a memory whose content is not
 * newer than `newestContentRevision`, must clear the lists.
 */
export interface IndexedSlots {
  /** All used slots are below it. */
  readonly end: number;
  /** The newest one that the index has ever read. */
  readonly newestContentRevision: number;
  /** How many slots were freed so far. */
  readonly freed: number;
  /** The slots that were freed since `freed` had this value; null: they are no longer known. */
  freedSince(freed: number): readonly number[] | null;
  /** The slot of the memory with this content; -1: there is none. */
  slotOf(contentRevision: number): number;
}

/** @returns the content revisions that contain a word, or any of several with a space between two, ascending, from the given revision on, at most `limit`. */
export type WordReader = (words: string, from: number, limit: number) => Float64Array;

interface PostingList {
  readonly holders: SlotSet;
  /** Content revisions up to this one were read. */
  readonly through: number;
  /** Slots that were freed before this one are not among the holders, unless they were used again. */
  readonly freed: number;
}

/** Of an entry of the cache beside its slots and its word; measured. */
const bytesPerList = 200;

export class PostingLists {
  readonly #slots: IndexedSlots;
  /** The least recently used ones first. */
  readonly #lists = new Map<string, PostingList>();
  #bytes = 0;

  constructor(slots: IndexedSlots) {
    this.#slots = slots;
  }

  /** Memory of all lists. */
  get byteLength(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#lists.clear();
    this.#bytes = 0;
  }

  /**
   * The slots of the memories that contain the word, and possibly free slots. Valid until the index changes. Reads what is missing in
   * pieces of a few milliseconds.
   *
   * @param read in the read transaction in which the index was brought up to date
   * @returns null when a piece was read and more is missing: call it again
   */
  holdersOf(word: string, read: WordReader): SlotSet | null {
    const { newestContentRevision, end } = this.#slots;
    const list = this.#withoutFreed(this.#lists.get(word));
    if (list.through >= newestContentRevision) {
      this.#keep(word, list);
      return list.holders;
    }
    const revisions = read(word, list.through + 1, postingsAtOnce);
    const isComplete = revisions.length < postingsAtOnce;
    const longer: PostingList = {
      holders: withSlots(list.holders, this.#slotsOf(revisions), capacityFor(end)),
      through: isComplete ? newestContentRevision : (revisions.at(-1) ?? newestContentRevision),
      freed: list.freed,
    };
    this.#keep(word, longer);
    return isComplete ? longer.holders : null;
  }

  /** A new list when there is none, or when it is too old. */
  #withoutFreed(list: PostingList | undefined): PostingList {
    const { freed } = this.#slots;
    if (list?.freed === freed) return list;
    const slots = list === undefined ? null : this.#slots.freedSince(list.freed);
    if (list === undefined || slots === null) return { holders: noSlots, through: -1, freed };
    return { ...list, holders: withoutSlots(list.holders, Uint32Array.from(slots).sort()), freed };
  }

  #keep(word: string, list: PostingList): void {
    this.#remove(word);
    this.#lists.set(word, list);
    this.#bytes += bytesOfEntry(word, list);
    const perSlots = capacityFor(this.#slots.end) * postingListsBytesPerSlot;
    const bytesMax = Math.max(postingListsBytesMin, perSlots);
    for (const oldest of this.#lists.keys()) {
      if (this.#bytes <= bytesMax) return;
      this.#remove(oldest);
    }
  }

  #remove(word: string): void {
    const list = this.#lists.get(word);
    if (list === undefined) return;
    this.#lists.delete(word);
    this.#bytes -= bytesOfEntry(word, list);
  }

  /** In ascending order. */
  #slotsOf(revisions: Float64Array): Uint32Array {
    const slots = new Uint32Array(revisions.length);
    let length = 0;
    let isAscending = true;
    for (const revision of revisions) {
      const slot = this.#slots.slotOf(revision);
      if (slot === -1) continue;
      if (length > 0 && slot < (slots[length - 1] ?? 0)) isAscending = false;
      slots[length++] = slot;
    }
    const found = slots.subarray(0, length);
    return isAscending ? found : found.sort();
  }
}

/** Slots for which bits have room: not one more for each new memory, because the bits of every word would be copied each time. */
function capacityFor(end: number): number {
  const step = end > rowsPerBlock ? rowsPerBlock : rowsPerBlockMin;
  return Math.ceil((end + 1) / step) * step;
}

function bytesOfEntry(word: string, { holders }: PostingList): number {
  return bytesOf(holders) + 2 * word.length + bytesPerList;
}
