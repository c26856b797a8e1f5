// Owns sets of the slots of a search index. A slot is the place of a memory: its block times the rows of a full block, plus its row. A
// large set is a bit for each slot, a small one a list, whichever is smaller. Must never know what the members have in common.

/**
 * `bits`: bit (slot & 31) of word (slot >>> 5); slots behind the last word are not members. Always in shared memory. `list`: ascending,
 * each slot once; in shared memory when it is long, because threads get copies of other memory. Never changed while a task reads it.
 */
export type SlotSet =
  | { readonly kind: "bits"; readonly words: Uint32Array }
  | { readonly kind: "list"; readonly slots: Uint32Array };

export const noSlots: SlotSet = Object.freeze({ kind: "list", slots: new Uint32Array(0) });

/** Shorter lists are copied for a thread faster than memory is shared with it. */
const sharedListMin = 1_024;
/** Growing sets get room for more, so that repeated growth does not copy them each time. */
const growth = 1.25;

/**
 * The set and more slots. The previous set must not be used any more: the new one may be in its memory.
 *
 * @param slots ascending, each once; some may be members
 * @param capacity more than the largest slot; a set of bits gets room for so many slots
 */
export function withSlots(set: SlotSet, slots: Uint32Array, capacity: number): SlotSet {
  if (slots.length === 0) return set;
  if (set.kind === "bits") return addToBits(set, slots, capacity);
  if (set.slots.length + slots.length > listMax(capacity)) {
    return addToBits(addToBits({ kind: "bits", words: noSlots32 }, set.slots, capacity), slots, capacity);
  }
  return { kind: "list", slots: merged(set.slots, slots) };
}

/**
 * The set without some slots. The previous set must not be used any more: the new one may be in its memory.
 *
 * @param slots ascending
 */
export function withoutSlots(set: SlotSet, slots: Uint32Array): SlotSet {
  if (set.kind === "bits") {
    for (const slot of slots) {
      const at = slot >>> 5;
      if (at < set.words.length) set.words[at] = (set.words[at] ?? 0) & ~(1 << (slot & 31));
    }
    return set;
  }
  let from = 0;
  let kept = 0;
  for (const slot of set.slots) {
    while ((slots[from] ?? slot) < slot) from++;
    if (slots[from] !== slot) set.slots[kept++] = slot;
  }
  return { kind: "list", slots: set.slots.subarray(0, kept) };
}

export function hasMember(set: SlotSet, slot: number): boolean {
  if (set.kind === "bits") return (((set.words[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  return set.slots[lowerBound(set.slots, slot)] === slot;
}

/** How many members are in `eligible`, a set of bits. */
export function countWithin(set: SlotSet, eligible: Uint32Array): number {
  let count = 0;
  if (set.kind === "list") {
    for (const slot of set.slots) count += ((eligible[slot >>> 5] ?? 0) >>> (slot & 31)) & 1;
    return count;
  }
  const { words } = set;
  const length = Math.min(words.length, eligible.length);
  for (let at = 0; at < length; at++) count += bitsIn(((words[at] ?? 0) | 0) & ((eligible[at] ?? 0) | 0));
  return count;
}

/** How many bits are set. */
export function countBits(words: Uint32Array): number {
  return countWithin({ kind: "bits", words }, words);
}

/**
 * Adds a number to the values of the members among the slots from `first` on, one slot for each value.
 *
 * @param first a multiple of 32
 * @param values as many as a multiple of 32; value n belongs to slot `first` + n
 */
export function addToMembers(set: SlotSet, amount: number, first: number, values: Float64Array): void {
  if (set.kind === "bits") {
    addToBitMembers(set.words, amount, first, values);
    return;
  }
  const { slots } = set;
  const end = first + values.length;
  for (let at = lowerBound(slots, first); at < slots.length; at++) {
    const slot = slots[at] ?? end;
    if (slot >= end) return;
    values[slot - first] = (values[slot - first] ?? 0) + amount;
  }
}

/** Memory of the set, in bytes, with what a value and its arrays need. */
export function bytesOf(set: SlotSet): number {
  return (set.kind === "bits" ? set.words : set.slots).buffer.byteLength + bytesPerSet;
}

/** Measured: an object, a typed array, its buffer. */
const bytesPerSet = 400;

const noSlots32 = new Uint32Array(0);

/** A list of so many slots needs as much memory as bits. */
function listMax(capacity: number): number {
  return Math.max(32, capacity >>> 5);
}

function addToBits(
  set: Extract<SlotSet, { kind: "bits" }>,
  slots: Uint32Array,
  capacity: number,
): Extract<SlotSet, { kind: "bits" }> {
  const length = (capacity + 31) >>> 5;
  const words = set.words.length < length ? enlarged(set.words, length, true) : set.words;
  for (const slot of slots) words[slot >>> 5] = (words[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return words === set.words ? set : { kind: "bits", words };
}

/** Both ascending; the result is in the memory of `first` where that has room. */
function merged(first: Uint32Array, second: Uint32Array): Uint32Array {
  const length = first.length + second.length;
  const { buffer, byteOffset } = first;
  const hasRoom = byteOffset + length * first.BYTES_PER_ELEMENT <= buffer.byteLength;
  const target = hasRoom
    ? new Uint32Array(buffer, byteOffset, length)
    : enlarged(first, Math.ceil(length * growth), length * growth >= sharedListMin).subarray(0, length);
  // From the end, so that no slot is overwritten before it is read.
  let left = first.length;
  let right = second.length;
  let at = length;
  while (right > 0) {
    const slot = second[right - 1] ?? 0;
    const other = left > 0 ? (target[left - 1] ?? 0) : -1;
    if (other > slot) left--;
    else {
      right--;
      if (other === slot) continue;
    }
    at--;
    target[at] = Math.max(slot, other);
  }
  // Slots that are in both leave a gap in front of what was moved.
  target.copyWithin(left, at, length);
  return target.subarray(0, left + length - at);
}

function enlarged(values: Uint32Array, length: number, isShared: boolean): Uint32Array {
  const bytes = length * values.BYTES_PER_ELEMENT;
  const larger = new Uint32Array(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  larger.set(values);
  return larger;
}

function addToBitMembers(words: Uint32Array, amount: number, first: number, values: Float64Array): void {
  const end = Math.min(words.length, (first + values.length) >>> 5);
  for (let word = first >>> 5, base = 0; word < end; word++, base += 32) {
    let bits = (words[word] ?? 0) | 0;
    if (bitsIn(bits) <= loopedBitsMax) {
      while (bits !== 0) {
        const at = base + 31 - Math.clz32(bits & -bits);
        values[at] = (values[at] ?? 0) + amount;
        bits &= bits - 1;
      }
      continue;
    }
    // Adding 0 changes nothing, and a loop without branches is faster for many members.
    for (let at = base; at < base + 32; at++) {
      values[at] = (values[at] ?? 0) + amount * (bits & 1);
      bits >>>= 1;
    }
  }
}

const loopedBitsMax = 8;

/** The first position whose slot is not below the given one. */
function lowerBound(slots: Uint32Array, slot: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] ?? 0) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bits that are set in an int32, by adding neighbours (Warren, Hacker's Delight, section 5-1). */
function bitsIn(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x55555555)) | 0;
  const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
