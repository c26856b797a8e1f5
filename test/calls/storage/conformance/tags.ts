// Compares lists, injections and bulk deletes by tags with a plain computation over everything, whatever was created, changed and
// deleted before. Searches by tags are in search.ts.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TagPage, TagQuery } from "../../../../src/memory/counts.ts";
import { type MemoryType, memoryTypes } from "../../../../src/memory/memory.ts";
import type { TagFilter } from "../../../../src/memory/tags.ts";
import { type Member, neverAborted, type Seam, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";

interface Model {
  readonly id: string;
  type: MemoryType;
  tags: readonly string[];
}

const typeOf = fc.constantFrom(...memoryTypes);
const wantedType = fc.option(typeOf, { freq: 2 });
/** As they are sent: unsorted, with duplicates, in other Unicode forms, with white space around them. */
const tagOf = fc.constantFrom("a", "a", " a\n", "b", "c", "\u00e9", "e\u0301", "\u{1f600}", "\uff21");
const tagsOf = fc.array(tagOf, { maxLength: 6 });
const filterOf = fc.record({
  tags: fc.uniqueArray(fc.constantFrom("a", "b", "c", "\u00e9", "\u{1f600}"), { minLength: 1, maxLength: 3 }),
  match: fc.constantFrom("all" as const, "any" as const),
});

const stepOf = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      memories: fc.array(fc.record({ type: typeOf, tags: tagsOf }), { maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      at: fc.nat(),
      type: fc.option(typeOf, { freq: 2 }),
      tags: fc.option(tagsOf, { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("removeAll" as const),
      type: wantedType,
      tags: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "\u00e9"), { minLength: 1, maxLength: 2 }), {
        freq: 6,
      }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      type: wantedType,
      tags: fc.option(filterOf, { freq: 5 }),
      limit: fc.constantFrom(1, 3, 100),
      offset: fc.constantFrom(0, 0, 1, 5),
      sortBy: fc.constantFrom("created_at" as const, "importance" as const),
      direction: fc.constantFrom("asc" as const, "desc" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("inject" as const), tags: filterOf }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("count" as const),
      type: wantedType,
      limit: fc.constantFrom(1, 2, 100),
      offset: fc.constantFrom(0, 0, 1, 7),
    }),
  },
);
type Step = typeof stepOf extends fc.Arbitrary<infer Value> ? Value : never;
type Removal = Extract<Step, { kind: "removeAll" }>;

/** What is stored of the tags that were sent. */
function canonical(tags: readonly string[]): string[] {
  const labels = new Set(tags.map((tag) => tag.normalize("NFC").trim()));
  return [...labels].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0));
}

function matches({ tags }: Model, filter: TagFilter | null): boolean {
  const held = (filter?.tags ?? []).filter((tag) => tags.includes(tag)).length;
  return filter === null || (filter.match === "all" ? held === filter.tags.length : held > 0);
}

/** One project, and what should be in it. */
class Run {
  readonly #seam: Seam;
  readonly #member: Member;
  readonly #memories: Model[] = [];
  #written = 0;
  found = 0;
  removed = 0;
  counted = 0;

  constructor(seam: Seam, member: Member) {
    this.#seam = seam;
    this.#member = member;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "create":
        this.#memories.push(...(await Promise.all(step.memories.map((made) => this.#create(made)))));
        return;
      case "list":
        return this.#list(step);
      case "count":
        return this.#count(step);
      case "inject":
        return this.#inject(step.tags);
      case "removeAll":
        return this.#removeAll(step);
      default:
    }
    const memory = this.#memories[step.at % Math.max(1, this.#memories.length)];
    if (memory === undefined) return;
    const memory_id = memory.id;
    if (step.kind === "remove") {
      expect((await this.#member.call("memory.delete", { memory_id })).status).toBe(204);
      this.#memories.splice(this.#memories.indexOf(memory), 1);
      return;
    }
    const { data } = await this.#member.call("memory.update", {
      memory_id,
      ...(step.type === null ? null : { memory_type: step.type }),
      ...(step.tags === null ? null : { tags: step.tags }),
    });
    memory.type = step.type ?? memory.type;
    if (step.tags !== null) memory.tags = canonical(step.tags);
    expect(data.tags).toEqual(memory.tags.length === 0 ? undefined : [...memory.tags]);
  }

  async #create({ type, tags }: Omit<Model, "id">): Promise<Model> {
    const content = `memory ${++this.#written}`;
    const { data } = await this.#member.create({ content, vector: unitVector(this.#written), type, tags });
    const memory = { id: String(data.id), type, tags: canonical(tags) };
    expect(data.tags).toEqual(memory.tags.length === 0 ? undefined : memory.tags);
    return memory;
  }

  async #list({ kind: _, ...query }: Extract<Step, { readonly kind: "list" }>): Promise<void> {
    const matching = this.#memories.filter(
      (memory) => (query.type === null || memory.type === query.type) && matches(memory, query.tags),
    );
    // All importances are equal, and of equal importance the newest is first.
    if (query.sortBy === "importance" || query.direction === "desc") matching.reverse();
    const page = await this.#member.list(query);
    const shown = page.memories.map(({ id, type, tags }) => ({ id, type, tags: [...tags] }));
    expect(shown).toEqual(
      matching
        .slice(query.offset, query.offset + query.limit)
        .map(({ id, type, tags }) => ({ id, type, tags: [...tags] })),
    );
    expect(page.total).toBe(matching.length);
    this.found += query.tags === null ? 0 : shown.length;
  }

  async #count({ type, limit, offset }: Extract<Step, { readonly kind: "count" }>): Promise<void> {
    const counts = new Map<string, number>();
    for (const memory of this.#memories)
      if (type === null || type === memory.type)
        for (const tag of memory.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const point = (tag: string) => tag.codePointAt(0) ?? 0;
    const expected = [...counts].sort(([a, of], [b, other]) => other - of || point(a) - point(b));
    const numbered = await this.#tags({ type, limit, after: { skip: offset } });
    expect(numbered.tags.map(({ tag, count }) => [tag, count])).toEqual(
      expected.slice(offset, offset + limit),
    );
    const found = [];
    for (let after: TagQuery["after"] = { skip: 0 }; ; ) {
      const page: TagPage = await this.#tags({ type, limit, after });
      expect([page.total, page.before]).toEqual([expected.length, found.length]);
      found.push(...page.tags.map(({ tag, count }) => [tag, count]));
      if (page.next === null) break;
      after = { cursor: page.next };
    }
    expect(found).toEqual(expected);
    this.counted += found.length;
  }

  async #tags(query: TagQuery): Promise<TagPage> {
    const page = await this.#seam.store.memories.listTags(this.#member.caller.owner, query, neverAborted);
    if (page === null) throw new Error("the cursor is not one of this list");
    return page;
  }

  /** The facts and contexts; which rules are included is not up to an engine. */
  async #inject(tags: TagFilter): Promise<void> {
    const query = { types: ["fact", "context"], tags, topK: 50, now: this.#seam.now() } as const;
    const { memories } = await this.#seam.store.memories.readTopMemories(
      this.#member.caller.owner,
      query,
      neverAborted,
    );
    const expected = this.#memories.filter((memory) => memory.type !== "rule" && matches(memory, tags));
    expect(memories.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
    this.found += memories.length;
  }

  async #removeAll({ type, tags }: Removal): Promise<void> {
    const filter = tags === null ? null : ({ tags, match: "all" } as const);
    const left = this.#memories.filter(
      (memory) => (type !== null && memory.type !== type) || !matches(memory, filter),
    );
    const { data } = await this.#member.call("memory.delete_all", {
      ...(type === null ? null : { memory_type: type }),
      ...(tags === null ? null : { tags }),
    });
    expect(data).toEqual({ deleted_count: this.#memories.length - left.length });
    this.removed += filter === null ? 0 : this.#memories.length - left.length;
    this.#memories.splice(0, this.#memories.length, ...left);
  }
}

export function testTags(subject: EngineUnderTest): void {
  describe("tags", () => {
    test("are stored, listed, injected and deleted exactly, after any sequence of changes", async () => {
      let [found, removed, counted] = [0, 0, 0];
      await withSeam(subject, (seam) =>
        fc.assert(
          fc.asyncProperty(fc.array(stepOf, { minLength: 6, maxLength: 40, size: "max" }), async (steps) => {
            const run = new Run(seam, await seam.project());
            for (const each of steps) await run.take(each);
            found += run.found;
            removed += run.removed;
            counted += run.counted;
          }),
          { numRuns: 15 },
        ),
      );
      expect(found).toBeGreaterThan(200);
      expect(removed).toBeGreaterThan(20);
      expect(counted).toBeGreaterThan(100);
    }, 60_000);

    test("do not make equal contents different, and are a project's own", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const memory = { content: "Releases go out on Tuesdays.", vector: unitVector(1) };
        const { data } = await member.create({ ...memory, tags: ["a"] });
        expect(await member.create({ ...memory, tags: ["b"] })).toMatchObject({
          code: 2104,
          data: { memory_id: data.id },
        });
        expect(await other.create({ ...memory, tags: ["a", "b"] })).toMatchObject({ status: 201 });
        const page = { limit: 9 } as const;
        const tagged = async (of: Member, tag: string) =>
          (await of.list({ ...page, tags: { tags: [tag], match: "all" } })).total;
        expect([await tagged(member, "a"), await tagged(member, "b"), await tagged(other, "b")]).toEqual([
          1, 0, 1,
        ]);
        const search = { vector: unitVector(1), tags: { tags: ["b"], match: "any" } } as const;
        expect(await member.search(search)).toEqual([]);
        expect(await other.search(search)).toHaveLength(1);
        await other.call("memory.delete_all", { tags: ["a"] });
        expect([await tagged(member, "a"), await tagged(other, "a")]).toEqual([1, 0]);
        expect(await other.create(memory)).toMatchObject({ status: 201 });
      }));

    test("are listed once each that stay at their place, and of another list are not continued", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        for (const [at, tags] of [["a", "b"], ["a", "c"], ["d"]].entries())
          await member.create({ content: `memory ${at}`, vector: unitVector(at), tags });
        const list = (of: Member, after: TagQuery["after"], type: TagQuery["type"] = null) =>
          seam.store.memories.listTags(of.caller.owner, { type, limit: 2, after }, neverAborted);
        const first = await list(member, { skip: 0 });
        expect(first).toMatchObject({ tags: [{ tag: "a" }, { tag: "b" }], total: 4, before: 0 });
        const after = { cursor: first?.next ?? "" };
        // One comes in front, and the last one of the page goes away.
        await member.call("memory.delete_all", { tags: ["b"] });
        for (const at of [7, 8, 9])
          await member.create({ content: `memory ${at}`, vector: unitVector(at), tags: ["z"] });
        const rest = { tags: [{ tag: "c" }, { tag: "d" }], total: 4, before: 2, next: null };
        expect(await list(member, after)).toMatchObject(rest);
        expect(await list(member, after, "fact")).toBeNull();
        expect(await list(member, { cursor: "x" })).toBeNull();
        expect(await list(other, after)).toBeNull();
      }));

    test("of a call that was undone are not stored", () =>
      withSeam(subject, async (seam) => {
        const member = await seam.project();
        const broken = new Float32Array(3);
        const outcome = await member.create({ content: "broken", vector: broken, tags: ["a"] });
        expect(outcome.status).toBe(500);
        const page = { limit: 9 } as const;
        expect(await member.list({ ...page, tags: { tags: ["a"], match: "all" } })).toEqual({
          memories: [],
          total: 0,
          before: 0,
          next: null,
        });
        seam.complaints.length = 0;
      }));
  });
}
