// What every engine promises about lists of memories that are filtered and read by cursor.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { kinds, originOf, typeOf } from "../../../../src/memory/kind.ts";
import { isExpired, type Memory, memoryOrigins, memoryTypes } from "../../../../src/memory/memory.ts";
import { splitWords } from "../../../../src/memory/ranking/words.ts";
import { type ListQuery, sortKeys } from "../../../../src/memory/search/list-query.ts";
import { toWordFilter } from "../../../../src/memory/search/word-filter.ts";
import { type ListOptions, type Member, type Seam, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";

export const listOrders: readonly Pick<ListQuery, "sortBy" | "direction">[] = sortKeys.flatMap((sortBy) =>
  (["asc", "desc"] as const).map((direction) => ({ sortBy, direction })),
);

const texts = [
  "red apple",
  "green apple",
  "red brick",
  "\u00c4rger im B\u00fcro",
  "\u6771\u4eac\u90fd",
  "applet",
];
const hourMs = 3_600_000;

const madeMemory = fc.record({
  kind: fc.constantFrom(...kinds),
  importance: fc.constantFrom(0, 0.5, 0.5, 1),
  text: fc.constantFrom(...texts),
  tags: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 2 }),
  active: fc.boolean(),
  expiresInHours: fc.option(fc.constantFrom(-1, 1)),
  readAfterMs: fc.option(fc.constantFrom(0, 1_000)),
});
type MadeMemory = typeof madeMemory extends fc.Arbitrary<infer Value> ? Value : never;
const plainMemory = {
  kind: "fact",
  importance: 0.5,
  text: "apple",
  tags: [],
  active: true,
  expiresInHours: null,
  readAfterMs: null,
} as const satisfies MadeMemory;

const maybe = fc.option(fc.boolean());
const listFilter = fc.record({
  type: fc.option(fc.constantFrom(...memoryTypes)),
  origin: fc.option(fc.constantFrom(...memoryOrigins)),
  tags: fc.option(fc.constantFrom(["a"], ["a", "b"]).map((tags) => ({ tags, match: "all" as const }))),
  active: maybe,
  expired: maybe,
  words: fc.option(
    fc
      .constantFrom("apple", "app", "red a", "RED", "b\u00fc", "arger", "\u4eac", "banana")
      .map((text) => toWordFilter(text)),
  ),
});

async function fill(seam: Seam, member: Member, made: readonly MadeMemory[]): Promise<string[]> {
  const ids: string[] = [];
  const now = Date.now();
  for (const [at, { text, kind, expiresInHours, active, readAfterMs, ...memory }] of made.entries()) {
    const expiresAt = expiresInHours === null ? null : now + expiresInHours * hourMs;
    const content = `${text} ${at}`;
    const of = { type: typeOf(kind), passage: kind === "passage" };
    const { data } = await member.create({ ...memory, ...of, content, expiresAt, vector: unitVector(at) });
    ids.push(String(data.id));
    if (!active) await member.call("memory.update", { memory_id: String(data.id), is_active: false });
    if (readAfterMs === null) continue;
    seam.passTime(readAfterMs);
    const settleRead = await member.prepareRead(String(data.id));
    expect((await settleRead()).status).toBe(200);
  }
  await seam.letHousekeepingRun();
  return ids;
}

export async function readPages(
  list: (query: ListOptions) => Promise<Page>,
  query: ListOptions,
): Promise<Memory[]> {
  const memories: Memory[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await list({ ...query, ...(cursor === null ? {} : { after: { cursor } }) });
    expect(page.before).toBe(memories.length);
    memories.push(...page.memories);
    if (page.next === null) return memories;
    expect(page.memories).toHaveLength(query.limit ?? 100);
    cursor = page.next;
  }
}
type Page = Awaited<ReturnType<Member["list"]>>;

/** By a date: of equal dates as they were created, and those without the date last. */
function byDate({ sortBy, direction }: (typeof listOrders)[number], memories: readonly Memory[]): Memory[] {
  const key = sortBy === "expires_at" ? "expiresAt" : "lastAccessedAt";
  const sign = direction === "asc" ? 1 : -1;
  return memories.toSorted(({ [key]: at, id }, { [key]: other, id: otherId }) => {
    if (at === other) return id < otherId ? -sign : sign;
    return at === null ? 1 : other === null ? -1 : sign * (at - other);
  });
}

async function expectForeign(page: Promise<unknown>): Promise<void> {
  const message = await page.then(
    () => "a page",
    (error) => String(error),
  );
  expect(message).toContain("not one of this list");
}

export function testMemoryPages(subject: EngineUnderTest): void {
  describe("pages of memories", () => {
    test("by cursor are the list, with every filter and order", () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(madeMemory, { maxLength: 12 }),
          listFilter,
          fc.constantFrom(1, 2, 5),
          (made, filter, limit) =>
            withSeam(subject, async (seam) => {
              const [member, other] = [await seam.project(), await seam.project()];
              await fill(seam, member, made);
              await fill(seam, other, made.slice(0, 3));
              const now = Date.now();
              const expected = made
                .map((memory, at) => ({ ...memory, words: splitWords(`${memory.text} ${at}`).map(plain) }))
                .filter(
                  ({ kind, tags, active, expiresInHours, words }) =>
                    (filter.type === null || typeOf(kind) === filter.type) &&
                    (filter.origin === null || (kind === "passage") === (filter.origin === "conversation")) &&
                    (filter.tags?.tags ?? []).every((tag) => tags.some((each) => each === tag)) &&
                    (filter.active === null || active === filter.active) &&
                    (filter.expired === null || (expiresInHours === -1) === filter.expired) &&
                    (filter.words === null ||
                      (filter.words.words.every((word) => words.includes(plain(word))) &&
                        words.some((word) => word.startsWith(plain(filter.words?.beginning ?? ""))))),
                );
              for (const order of listOrders) {
                const query = { ...filter, ...order, now };
                const whole = await member.list(query);
                expect(whole).toMatchObject({ total: expected.length, before: 0, next: null });
                expect(whole.memories).toHaveLength(expected.length);
                if (order.sortBy === "expires_at" || order.sortBy === "last_accessed_at")
                  expect(whole.memories).toEqual(byDate(order, whole.memories));
                for (const memory of whole.memories) {
                  if (filter.origin !== null) expect(originOf(memory)).toBe(filter.origin);
                  if (filter.expired !== null) expect(isExpired(memory, now)).toBe(filter.expired);
                }
                const pages = await readPages((page) => member.list(page), { ...query, limit });
                expect(pages).toEqual([...whole.memories]);
                if (whole.total <= limit) continue;
                const second = await member.list({ ...query, limit, offset: limit });
                expect(second.memories).toEqual(whole.memories.slice(limit, 2 * limit));
              }
            }),
        ),
        { numRuns: 8 },
      ));

    test("show each memory once that stays at its place, whatever changes between them", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const ids = await fill(seam, member, Array(9).fill(plainMemory));
        const read: string[] = [];
        let total = 0;
        for (let cursor: string | null = null, page = 0; ; page += 1) {
          const after = cursor === null ? { skip: 0 } : { cursor };
          const found = await member.list({ limit: 3, after });
          read.push(...found.memories.map(({ id }) => id));
          total = found.total;
          if (found.next === null) break;
          cursor = found.next;
          // The last one that was shown, so the place of the cursor has no memory any more; and a new one in front of all.
          await member.call("memory.delete", { memory_id: read.at(-1) ?? "" });
          await fill(seam, member, [{ ...plainMemory, text: `pear ${page}` }]);
        }
        expect(read).toEqual(ids.toReversed());
        expect(total).toBe(9);
      }));

    test("of another list are not continued by a cursor", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        await fill(seam, member, Array(4).fill(plainMemory));
        const { next } = await member.list({ limit: 1 });
        if (next === null) throw new Error("there is one page only");
        const after = { cursor: next };
        for (const other of [
          { type: "fact" },
          { origin: "kept" },
          { sortBy: "importance" },
          { direction: "asc" },
          { active: true },
        ] as const) {
          await expectForeign(member.list({ after, ...other }));
        }
        for (const cursor of ["", "x", next.slice(2), `${next}AAAA`]) {
          await expectForeign(member.list({ after: { cursor } }));
        }
        expect((await member.list({ after, limit: 2 })).memories).toHaveLength(2);
      }));

    if (subject.lacks["word forms"] === undefined) {
      test("of a word that is being typed have its other forms", () =>
        withSeam(subject, async (seam) => {
          const member = await seam.project();
          const vector = unitVector(1);
          for (const content of [
            "The deployment failed.",
            "A car.",
            "Relational databases.",
            "He was running.",
          ]) {
            await member.create({ content, vector });
          }
          const found = async (text: string) =>
            (await member.list({ words: toWordFilter(text) })).memories.map(({ content }) => content);
          const typed = (word: string) => Array.from(word, (_, at) => word.slice(0, at + 1)).slice(2);
          for (const text of typed("deployment"))
            expect([text, await found(text)]).toEqual([text, ["The deployment failed."]]);
          for (const text of typed("relational"))
            expect([text, await found(text)]).toEqual([text, ["Relational databases."]]);
          expect(await found("running")).toEqual(["He was running."]);
          expect(await found("cart")).toEqual([]);
          expect(await found("database relating")).toEqual(["Relational databases."]);
        }));
    }
  });
}

/** Without accents, as the index compares words. */
function plain(word: string): string {
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "");
}
