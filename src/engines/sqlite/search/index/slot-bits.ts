// Owns sets of slots as bits: bit (slot & 31) of word (slot >>> 5). Pure.

/** A copy with room for at least so many words. */
export function largerBits(bits: Uint32Array, words: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(words, Math.ceil(bits.length * 1.25), 2));
  larger.set(bits);
  return larger;
}

export function setBit(bits: Uint32Array, slot: number, value: boolean): void {
  const word = bits[slot >>> 5] ?? 0;
  const bit = 1 << (slot & 31);
  bits[slot >>> 5] = value ? word | bit : word & ~bit;
}
