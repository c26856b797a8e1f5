// Compares slot sets with sets of JavaScript: whatever is added and removed, in lists, in bits, and when a list becomes bits.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addToMembers,
  bytesOf,
  countBits,
  countWithin,
  noSlots,
  type SlotSet,
  withoutSlots,
  withSlots,
} from "../../../src/memory/ranking/scan/slot-set.ts";

const capacityMax = 4_096;

interface Change {
  readonly kind: "add" | "remove";
  readonly slots: readonly number[];
  readonly capacity: number;
}

const change: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.constantFrom<Change["kind"]>("add", "add", "remove"),
    // A few slots, close ones, or a large part of all.
    start: fc.nat(capacityMax - 1),
    steps: fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })), { maxLength: 200 }),
  })
  .map(({ kind, start, steps }) => {
    const slots: number[] = [];
    let slot = start;
    for (const step of steps) {
      if (slot >= capacityMax) break;
      slots.push(slot);
      slot += step;
    }
    return { kind, slots, capacity: Math.ceil(((slots.at(-1) ?? 0) + 1) / 64) * 64 };
  });

function apply(changes: readonly Change[]): { set: SlotSet; members: Set<number> } {
  let set = noSlots;
  let capacity = 64;
  const members = new Set<number>();
  for (const { kind, slots, capacity: needed } of changes) {
    capacity = Math.max(capacity, needed);
    if (kind === "add") {
      set = withSlots(set, Uint32Array.from(slots), capacity);
      for (const slot of slots) members.add(slot);
    } else {
      set = withoutSlots(set, Uint32Array.from(slots));
      for (const slot of slots) members.delete(slot);
    }
  }
  return { set, members };
}

function bitsOf(slots: Iterable<number>, capacity: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(capacity / 32));
  for (const slot of slots) words[slot >>> 5] = (words[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return words;
}

const changes = fc.array(change, { maxLength: 12 });

describe("a slot set", () => {
  test("has the members that were added and not removed, each once", () => {
    fc.assert(
      fc.property(changes, (applied) => {
        const { set, members } = apply(applied);
        const values = new Float64Array(capacityMax);
        addToMembers(set, 1, 0, values);
        const found = [...values.keys()].filter((slot) => values[slot] !== 0);
        expect(found).toEqual([...members].sort((a, b) => a - b));
        expect(values.every((value) => value <= 1)).toBe(true);
        if (set.kind === "list") expect([...set.slots]).toEqual(found);
        expect(bytesOf(set)).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  test("adds to the members of one range only, in the order of the calls", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(changes, fc.double({ min: 1e-9, max: 1, noNaN: true })), { maxLength: 4 }),
        fc.nat(capacityMax / 32 - 1),
        fc.nat(40),
        (words, startWord, countWords) => {
          const first = startWord * 32;
          const values = new Float64Array(countWords * 32);
          const expected = new Float64Array(countWords * 32);
          for (const [applied, amount] of words) {
            const { set, members } = apply(applied);
            addToMembers(set, amount, first, values);
            for (const at of expected.keys())
              if (members.has(first + at)) expected[at] = (expected[at] ?? 0) + amount;
          }
          expect(values).toEqual(expected);
        },
      ),
    );
  });

  test("counts the members that are eligible, exactly", () => {
    fc.assert(
      fc.property(changes, fc.uniqueArray(fc.nat(capacityMax - 1)), fc.boolean(), (applied, some, isMost) => {
        const { set, members } = apply(applied);
        const chosen = new Set(some);
        const eligible = Array.from({ length: capacityMax }, (_, slot) => slot).filter(
          (slot) => chosen.has(slot) !== isMost,
        );
        const words = bitsOf(eligible, capacityMax);
        expect(countWithin(set, words)).toBe(eligible.filter((slot) => members.has(slot)).length);
        expect(countBits(words)).toBe(eligible.length);
        // A set of eligible slots that ends earlier has no further members.
        const short = words.subarray(0, 10);
        expect(countWithin(set, short)).toBe(
          eligible.filter((slot) => slot < 320 && members.has(slot)).length,
        );
      }),
    );
  });

  test("of many members needs one bit for each slot, and of a few a list", () => {
    const capacity = 1_000_000;
    const every = (step: number) =>
      Uint32Array.from({ length: Math.floor(capacity / step) }, (_, at) => at * step);
    const common = withSlots(noSlots, every(2), capacity);
    const rare = withSlots(noSlots, every(1_000), capacity);
    expect(common.kind).toBe("bits");
    expect(rare.kind).toBe("list");
    expect(bytesOf(common)).toBeLessThan(capacity / 8 + 1_000);
    expect(bytesOf(rare)).toBeLessThan(capacity / 100);
    if (common.kind === "bits") expect(common.words.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  test("that is appended to a thousand times stays within the memory of bits", () => {
    const capacity = 65_536;
    let set = noSlots;
    for (let slot = 0; slot < capacity; slot += 8) {
      set = withSlots(set, Uint32Array.of(slot), capacity);
      expect(bytesOf(set)).toBeLessThanOrEqual((capacity / 8) * 1.3 + 400);
    }
    expect(set.kind).toBe("bits");
  });
});
