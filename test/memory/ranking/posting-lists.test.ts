// Compares posting lists and the keywords of queries with the definition, computed from the texts of the memories: whatever is created,
// deleted, changed and searched in between, also in slots that are used again, in pieces, and when lists were dropped.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { postingListsBytesPerSlot, postingsAtOnce } from "../../../src/memory/ranking/limits.ts";
import {
  type IndexedSlots,
  PostingLists,
  type WordReader,
} from "../../../src/memory/ranking/posting-lists.ts";
import { countSlots, keywordsOfOwners } from "../../../src/memory/ranking/query-keywords.ts";
import { addToMembers, countBits, type SlotSet } from "../../../src/memory/ranking/scan/slot-set.ts";
import { queryTermsMax } from "../../../src/platform/limits.ts";
import { keywordScores } from "../../engines/memory/keyword-scores.ts";

/** An index of memories that are only their words, and the table of words beside it, from which nothing is ever removed. */
class Memories implements IndexedSlots {
  readonly wordsAt = new Map<number, readonly string[]>();
  readonly reads: { readonly word: string; readonly from: number; readonly found: number }[] = [];
  newestContentRevision = 0;
  end = 0;
  #revisionAt = new Map<number, number>();
  #slotOf = new Map<number, number>();
  readonly #stored = new Map<string, number[]>();
  readonly #freed: number[] = [];
  readonly #free: number[] = [];
  /** Freed slots before this number are no longer known. */
  forgotten = 0;

  /** In the slot that was freed last. */
  create(words: readonly string[]): void {
    const slot = this.#free.pop() ?? this.end;
    this.newestContentRevision += 1;
    this.wordsAt.set(slot, words);
    this.#revisionAt.set(slot, this.newestContentRevision);
    this.#slotOf.set(this.newestContentRevision, slot);
    this.end = Math.max(this.end, slot + 1);
    for (const word of new Set(words)) {
      const stored = this.#stored.get(word) ?? [];
      stored.push(this.newestContentRevision);
      this.#stored.set(word, stored);
    }
  }

  remove(slot: number): void {
    this.#slotOf.delete(this.#revisionAt.get(slot) ?? -1);
    this.#revisionAt.delete(slot);
    this.wordsAt.delete(slot);
    this.#freed.push(slot);
    this.#free.push(slot);
  }

  get freed(): number {
    return this.#freed.length;
  }

  freedSince(freed: number): readonly number[] | null {
    return freed < this.forgotten ? null : this.#freed.slice(freed);
  }

  slotOf(contentRevision: number): number {
    return this.#slotOf.get(contentRevision) ?? -1;
  }

  readonly read: WordReader = (word, from, limit) => {
    const stored = this.#stored.get(word) ?? [];
    const found = stored.slice(firstFrom(stored, from)).slice(0, limit);
    this.reads.push({ word, from, found: found.length });
    return Float64Array.from(found);
  };

  /** The slots whose memories have the word, by their texts. */
  having(word: string): number[] {
    return [...this.wordsAt].filter(([, words]) => words.includes(word)).map(([slot]) => slot);
  }

  used(): Uint32Array {
    return bits(this.wordsAt.keys(), this.end);
  }
}

function firstFrom(ascendingRevisions: readonly number[], from: number): number {
  const at = ascendingRevisions.findLastIndex((revision) => revision < from);
  return at + 1;
}

function bits(slots: Iterable<number>, end: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(end / 32));
  for (const slot of slots) words[slot >>> 5] = (words[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return words;
}

function membersOf(set: SlotSet, end: number): number[] {
  const values = new Float64Array(Math.ceil((end + 1) / 32) * 32);
  addToMembers(set, 1, 0, values);
  return [...values.keys()].filter((slot) => values[slot] === 1);
}

function complete(lists: PostingLists, memories: Memories, word: string): SlotSet {
  for (;;) {
    const holders = lists.holdersOf(word, memories.read);
    if (holders !== null) return holders;
  }
}

const ascending = (slots: readonly number[]) => slots.toSorted((a, b) => a - b);
const vocabulary = ["a1", "b2", "c3", "d4", "e5", "f6"];
const content = fc.array(fc.constantFrom(...vocabulary), { maxLength: 4 });

type Step =
  | { readonly kind: "create"; readonly words: readonly string[] }
  | { readonly kind: "remove" | "change"; readonly choice: number; readonly words: readonly string[] }
  | { readonly kind: "search"; readonly word: string }
  | { readonly kind: "forget" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("create" as const), words: content }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("remove" as const, "change" as const),
      choice: fc.nat(),
      words: content,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("search" as const), word: fc.constantFrom(...vocabulary) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const) }) },
);

function perform(memories: Memories, each: Step): void {
  if (each.kind === "create") memories.create(each.words);
  if (each.kind === "forget") memories.forgotten = memories.freed;
  if (each.kind !== "remove" && each.kind !== "change") return;
  const slots = [...memories.wordsAt.keys()];
  const slot = slots[each.choice % slots.length];
  if (slot === undefined) return;
  memories.remove(slot);
  if (each.kind === "change") memories.create(each.words);
}

describe("posting lists", () => {
  test("have the slots of the memories with a word, whatever happened since they were read", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const memories = new Memories();
        const lists = new PostingLists(memories);
        for (const each of steps) {
          perform(memories, each);
          const searched = each.kind === "search" ? [each.word] : [];
          for (const word of searched) {
            const used = memories.used();
            const found = membersOf(complete(lists, memories, word), memories.end);
            // Free slots are never eligible, so it does not matter whether they are members.
            const eligible = found.filter((slot) => ((used[slot >>> 5] ?? 0) >>> (slot & 31)) & 1);
            expect(eligible).toEqual(ascending(memories.having(word)));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("are read in pieces, and afterwards only behind their last entry", () => {
    const memories = new Memories();
    const lists = new PostingLists(memories);
    const count = 2 * postingsAtOnce + 10;
    for (let at = 0; at < count; at++) memories.create(["common"]);
    expect(lists.holdersOf("common", memories.read)).toBeNull();
    expect(lists.holdersOf("common", memories.read)).toBeNull();
    expect(lists.holdersOf("common", memories.read)).toMatchObject({ kind: "bits" });
    expect(memories.reads.map(({ found }) => found)).toEqual([postingsAtOnce, postingsAtOnce, 10]);
    complete(lists, memories, "common");
    expect(memories.reads).toHaveLength(3);
    memories.create(["rare"]);
    memories.create(["common"]);
    complete(lists, memories, "common");
    expect(memories.reads.at(-1)).toEqual({ word: "common", from: count + 1, found: 1 });
    complete(lists, memories, "rare");
    memories.remove(17);
    expect(membersOf(complete(lists, memories, "common"), memories.end)).not.toContain(17);
    expect(memories.reads).toHaveLength(5);
  });

  test("need no more memory than they may, and the words used last stay", () => {
    const memories = new Memories();
    const lists = new PostingLists(memories);
    const words = Array.from({ length: 400 }, (_, at) => `w${at}`);
    for (let at = 0; at < 60_000; at++) memories.create(at % 2 === 0 ? words : ["other"]);
    const most = Math.ceil(60_001 / 8_192) * 8_192 * postingListsBytesPerSlot;
    for (const word of [...words, ...words.slice(0, 60)]) {
      complete(lists, memories, word);
      expect(lists.byteLength).toBeLessThanOrEqual(most);
    }
    expect(lists.byteLength).toBeGreaterThan(most / 2);
    const reads = memories.reads.length;
    for (const word of words.slice(0, 60)) complete(lists, memories, word);
    expect(memories.reads).toHaveLength(reads);
    lists.clear();
    expect(lists.byteLength).toBe(0);
    expect(membersOf(complete(lists, memories, "w7"), 60_000)).toHaveLength(30_000);
  });
});

describe("the keywords of a query", () => {
  /** As a scan adds them up. */
  function scores(
    memories: Memories,
    lists: PostingLists,
    text: string,
    eligible: Uint32Array,
  ): Float64Array {
    const count = countSlots((word) => lists.holdersOf(word, memories.read), eligible);
    const owner = { count, nearWords: () => [], searched: countBits(eligible) };
    const reading = keywordsOfOwners(text, [owner]);
    let step = reading.next();
    while (step.done !== true) step = reading.next();
    const values = new Float64Array(Math.ceil((memories.end + 1) / 32) * 32);
    for (const { share, holders } of step.value)
      for (const each of holders) addToMembers(each, share, 0, values);
    return values;
  }

  test("give the keyword scores of the definition, to the last digit", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.uniqueArray(fc.constantFrom(...vocabulary, "unknown"), { minLength: 1 }),
        fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
        (steps, words, isEligible) => {
          const memories = new Memories();
          const lists = new PostingLists(memories);
          for (const each of steps) {
            perform(memories, each);
            if (each.kind === "search") complete(lists, memories, each.word);
          }
          const searched = [...memories.wordsAt.keys()].filter((slot) => isEligible[slot % 60]);
          const found = scores(memories, lists, words.join(" "), bits(searched, memories.end));
          const holders = words.map((word) =>
            memories.having(word).filter((slot) => searched.includes(slot)),
          );
          const expected = keywordScores(holders, found.length, searched.length);
          for (const slot of searched) expect(found[slot]).toBe(expected[slot] ?? 0);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of a long query are the rarest ones, of equally rare ones the first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(2 * queryTermsMax), { maxLength: 40 }), { maxLength: 60 }),
        (contents) => {
          const memories = new Memories();
          const lists = new PostingLists(memories);
          for (const words of contents) memories.create(words.map((word) => `w${word}`));
          const words = Array.from({ length: 2 * queryTermsMax + 1 }, (_, at) => `w${at}`);
          const found = scores(memories, lists, words.join(" "), memories.used());
          const expected = keywordScores(
            words.map((word) => memories.having(word)),
            found.length,
            contents.length,
          );
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
