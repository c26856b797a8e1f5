// Compares lists, totals, exports, injections and bulk deletes by metadata with a plain computation over everything, whatever was created,
// changed and deleted before. Searches by metadata are in test/engines/sqlite/exact-order.slow.test.ts.

import { describe, expect, test } from "bun:test";
import { type MemoryType, memoryTypes } from "../../../../src/memory/memory.ts";
import { type MetadataFilter, toMetadataFilter } from "../../../../src/memory/search/metadata-filter.ts";
import type { JsonObject } from "../../../../src/platform/json/json.ts";
import { createRandom, pick, type Random } from "../../../memory/ranking/adversarial-vectors.ts";
import { isDescribed, someMetadata, someMetadataFilter } from "../../../memory/ranking/naive-metadata.ts";
import { type Member, neverAborted, type Seam, unitVector } from "../seam.ts";
import { type EngineUnderTest, withSeam } from "./engine-under-test.ts";
import { readPages } from "./memory-pages.ts";

interface Model {
  readonly id: string;
  type: MemoryType;
  tags: readonly string[];
  metadata: JsonObject | null;
  active: boolean;
}

/** One project, and what should be in it. */
class Run {
  readonly #seam: Seam;
  readonly #member: Member;
  readonly #random: Random;
  #memories: Model[] = [];
  #written = 0;
  found = 0;
  removed = 0;

  constructor(seam: Seam, member: Member, random: Random) {
    this.#seam = seam;
    this.#member = member;
    this.#random = random;
  }

  async step(): Promise<void> {
    const at = this.#random();
    if (this.#memories.length < 20 || at < 0.3) return this.#create();
    if (at < 0.5) return this.#update();
    if (at < 0.53) return this.#remove();
    if (at < 0.58) return this.#removeAll();
    return this.#compare();
  }

  async #create(): Promise<void> {
    this.#written += 1;
    const type = pick(this.#random, memoryTypes);
    const metadata = someMetadata(this.#random);
    const tags = this.#random() < 0.5 ? ["a"] : [];
    const made = { content: `memory ${this.#written}`, vector: unitVector(this.#written), type, tags };
    const { data } = await this.#member.create({ ...made, metadata });
    expect(data.metadata).toEqual(metadata ?? undefined);
    this.#memories.push({ id: String(data.id), type, tags, metadata, active: true });
  }

  async #update(): Promise<void> {
    if (this.#memories.length === 0) return;
    const memory = pick(this.#random, this.#memories);
    const before = memory.metadata;
    if (this.#random() < 0.7) memory.metadata = someMetadata(this.#random);
    if (this.#random() < 0.3) memory.type = pick(this.#random, memoryTypes);
    memory.active = this.#random() < 0.7;
    const { data } = await this.#member.call("memory.update", {
      memory_id: memory.id,
      memory_type: memory.type,
      is_active: memory.active,
      ...(memory.metadata === before ? {} : { metadata: memory.metadata }),
    });
    expect(data.metadata).toEqual(memory.metadata ?? undefined);
  }

  async #remove(): Promise<void> {
    if (this.#memories.length === 0) return;
    const { id } = pick(this.#random, this.#memories);
    await this.#member.call("memory.delete", { memory_id: id });
    this.#memories = this.#memories.filter((memory) => memory.id !== id);
  }

  async #removeAll(): Promise<void> {
    const type = this.#random() < 0.5 ? null : pick(this.#random, memoryTypes);
    const metadata = someMetadataFilter(this.#random);
    const isTagged = this.#random() < 0.3;
    const filter = toMetadataFilter(metadata) ?? [];
    const left = this.#memories.filter(
      (memory) =>
        (type !== null && memory.type !== type) ||
        (isTagged && memory.tags.length === 0) ||
        !isDescribed(memory.metadata, filter),
    );
    const { data } = await this.#member.call("memory.delete_all", {
      metadata,
      ...(type === null ? null : { memory_type: type }),
      ...(isTagged ? { tags: ["a"] } : null),
    });
    expect([metadata, data]).toEqual([metadata, { deleted_count: this.#memories.length - left.length }]);
    this.removed += this.#memories.length - left.length;
    this.#memories = left;
  }

  async #compare(): Promise<void> {
    const { owner } = this.#member.caller;
    const random = this.#random;
    const filter: MetadataFilter = toMetadataFilter(someMetadataFilter(random)) ?? [];
    const type = random() < 0.6 ? null : pick(random, memoryTypes);
    const active = random() < 0.6 ? null : random() < 0.5;
    const tags = random() < 0.7 ? null : ({ tags: ["a"], match: "all" } as const);
    const matching = this.#memories.filter(
      (memory) =>
        (type === null || memory.type === type) &&
        (tags === null || memory.tags.length > 0) &&
        isDescribed(memory.metadata, filter),
    );
    const idsOf = (memories: readonly { readonly id: string }[]) => memories.map(({ id }) => id);
    const listed = matching.filter((memory) => active === null || memory.active === active);
    const query = { type, tags, metadata: filter, active, limit: 3, direction: "asc" } as const;
    const pages = await readPages((page) => this.#member.list(page), {
      ...query,
      sortBy: "created_at",
      expired: null,
      words: null,
      now: this.#seam.now(),
      after: { skip: 0 },
    });
    expect([filter, idsOf(pages)]).toEqual([filter, idsOf(listed)]);
    const skipped = await this.#member.list({ ...query, offset: 2 });
    expect([idsOf(skipped.memories), skipped.total]).toEqual([idsOf(listed.slice(2, 5)), listed.length]);
    const page = { type, tags, metadata: filter, withVectors: false, cursor: null, limit: 100 };
    const exported = await this.#seam.store.memories.exportPage(owner, page, neverAborted);
    expect(idsOf(exported?.memories ?? [])).toEqual(idsOf(matching));
    const wanted = { types: ["fact", "context"], tags, metadata: filter, topK: 100 } as const;
    const { memories } = await this.#seam.store.memories.readTopMemories(
      owner,
      { ...wanted, now: this.#seam.now() },
      neverAborted,
    );
    const top = this.#memories.filter(
      (memory) =>
        memory.active &&
        memory.type !== "rule" &&
        (tags === null || memory.tags.length > 0) &&
        isDescribed(memory.metadata, filter),
    );
    expect(idsOf(memories).toSorted()).toEqual(idsOf(top).toSorted());
    this.found += listed.length;
  }
}

export function testMetadata(subject: EngineUnderTest): void {
  describe("metadata", () => {
    test("selects memories for lists, exports, injections and deletions exactly, after any sequence of changes", async () => {
      let [found, removed] = [0, 0];
      await withSeam(subject, async (seam) => {
        for (let seed = 1; seed <= 12; seed++) {
          const run = new Run(seam, await seam.project(), createRandom(seed));
          for (let step = 0; step < 90; step++) await run.step();
          found += run.found;
          removed += run.removed;
        }
      });
      expect(found).toBeGreaterThan(200);
      expect(removed).toBeGreaterThan(20);
    }, 120_000);

    test("is a project's own, and is not stored by a call that was undone", () =>
      withSeam(subject, async (seam) => {
        const [member, other] = [await seam.project(), await seam.project()];
        const metadata = { user: "u-17" };
        const filter = toMetadataFilter(metadata);
        await member.create({ content: "one", vector: unitVector(1), metadata });
        expect((await other.list({ metadata: filter })).total).toBe(0);
        expect(await other.search({ vector: unitVector(1), metadata: filter })).toEqual([]);
        const broken = await other.create({ content: "broken", vector: new Float32Array(3), metadata });
        expect(broken.status).toBe(500);
        expect((await other.list({ metadata: filter })).total).toBe(0);
        await other.call("memory.delete_all", { metadata });
        expect((await member.list({ metadata: filter })).total).toBe(1);
        expect(await member.search({ vector: unitVector(1), metadata: filter })).toHaveLength(1);
        seam.complaints.length = 0;
      }));
  });
}
