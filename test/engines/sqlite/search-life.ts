// Owns the life of a store in the tests of exact order: memories are created, changed and deleted in every way, the clock moves, the engine
// is started again and the model is replaced. After each step, searches of every kind are compared with the naive ranking of what is
// stored. Everything depends on the seed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOwnKey, openLedgerFiles } from "../../../src/data-directory/ledger-files.ts";
import { readBatchItem } from "../../../src/memory/batch-item.ts";
import { contentKey, memoryTypes } from "../../../src/memory/memory.ts";
import type { SearchQuery } from "../../../src/memory/store.ts";
import { finalScore } from "../../../src/ranking/scores.ts";
import {
  type AdversarialVectors,
  createAdversarialVectors,
  createRandom,
  pick,
  type Random,
} from "../../ranking/adversarial-vectors.ts";
import {
  type NaiveMemory,
  rankNaively,
  rulesNaively,
  similarityOf,
  similarNaively,
} from "../../ranking/naive-ranking.ts";
import { type Member, neverAborted, openMember, openSeam, type Seam, seamModel } from "../../storage/seam.ts";
import { readStoredMemories, type StoredMemories } from "./naive-memories.ts";

export interface LifeOptions {
  readonly seed: number;
  readonly dimensions: number;
  /** Memories of the first project at the beginning. */
  readonly memories: number;
  readonly steps: number;
  /** Comparisons after each step. */
  readonly searches: number;
  /** 0: everything is searched in the database. */
  readonly searchCacheBytes: number;
}

export interface LifeReport {
  /** Answers that were compared. */
  answers: number;
  /** Memories in these answers. */
  hits: number;
  /** Hits with a word of the query. */
  hitsWithWords: number;
  /** Hits with the score of the hit before them. */
  ties: number;
  /** Steps by kind. */
  readonly steps: Record<string, number>;
  /** The most memories that a project had. */
  most: number;
}

const hour = 3_600_000;
const batchItems = 1_000;
const vocabulary = ["alpha", "bravo", "Zürich", "мир", "kilo", "v2", "4711", "papa", "quebec", "tango"];
const tags = ["common", "team:red", "team:blue", "日本", '"quoted"'];

/** @throws Error that names the seed, the step and the query when an answer is not that of the naive ranking */
export async function liveSearches(options: LifeOptions): Promise<LifeReport> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-search-life-"));
  try {
    const life = new Life(folder, options);
    await life.run();
    return life.report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Step =
  | "create"
  | "change"
  | "rewrite"
  | "delete"
  | "delete a type"
  | "delete by tags"
  | "delete everything"
  | "pass time"
  | "housekeeping"
  | "restart"
  | "change the model";

class Life {
  readonly report: LifeReport = { answers: 0, hits: 0, hitsWithWords: 0, ties: 0, steps: {}, most: 0 };
  readonly #folder: string;
  readonly #options: LifeOptions;
  readonly #ledger: ReturnType<typeof openLedgerFiles>;
  readonly #random: Random;
  #model: typeof seamModel;
  #vectors: AdversarialVectors;
  #written = 0;
  /** Hours between the clock of the machine and the time that queries name. */
  #hours = 0;
  /** Ids of the projects, by age, with the secrets of their keys. */
  #projects: { readonly id: string; member: Member }[] = [];

  constructor(folder: string, options: LifeOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#ledger = openLedgerFiles(folder, createOwnKey(folder));
    this.#random = createRandom(options.seed);
    this.#model = { ...seamModel, dimensions: options.dimensions };
    this.#vectors = createAdversarialVectors(this.#random, options.dimensions);
  }

  async run(): Promise<void> {
    let seam = await this.#open();
    try {
      for (let count = 0; count < 2; count++) {
        const member = await seam.project();
        this.#projects.push({ id: member.id, member });
      }
      await this.#create(0, this.#options.memories);
      await this.#create(1, Math.min(50, this.#options.memories));
      await this.#compareAll(seam, "the beginning");
      for (let step = 1; step <= this.#options.steps; step++) {
        const kind = this.#chooseStep();
        this.report.steps[kind] = (this.report.steps[kind] ?? 0) + 1;
        if (kind === "restart") {
          await this.#close(seam);
          seam = await this.#open();
        } else await this.#take(kind, seam);
        await this.#compareAll(seam, `step ${step}, ${kind}`);
      }
    } finally {
      await this.#close(seam);
    }
  }

  async #open(): Promise<Seam> {
    const seam = await openSeam({
      path: join(this.#folder, "memledger.db"),
      ledger: this.#ledger,
      model: this.#model,
      searchCacheBytes: this.#options.searchCacheBytes,
    });
    for (const project of this.#projects) project.member = await openMember(seam, project.id);
    return seam;
  }

  async #close(seam: Seam): Promise<void> {
    await seam.close();
    if (seam.complaints.length > 0) throw new Error(`the engine complained: ${seam.complaints.join("\n")}`);
  }

  #chooseStep(): Step {
    const at = this.#random();
    if (at < 0.2) return "create";
    if (at < 0.35) return "change";
    if (at < 0.5) return "rewrite";
    if (at < 0.65) return "delete";
    if (at < 0.72) return "delete a type";
    if (at < 0.79) return "delete by tags";
    if (at < 0.81) return "delete everything";
    if (at < 0.87) return "pass time";
    if (at < 0.93) return "housekeeping";
    if (at < 0.98) return "restart";
    return "change the model";
  }

  async #take(kind: Exclude<Step, "restart">, seam: Seam): Promise<void> {
    const random = this.#random;
    const which = random() < 0.8 ? 0 : 1;
    const member = this.#member(which);
    const some = (count: number) =>
      this.#read((stored) => {
        const all = stored.of(member.id);
        if (all.length === 0) return [];
        return [...new Set(Array.from({ length: Math.ceil(random() * count) }, () => pick(random, all)))];
      });
    if (kind === "create")
      await this.#create(which, Math.ceil(random() * Math.max(20, this.#options.memories / 4)));
    if (kind === "change") for (const { id } of some(20)) await this.#change(member, id);
    if (kind === "rewrite") for (const { id } of some(20)) await this.#rewrite(member, id);
    if (kind === "delete")
      for (const { id } of some(Math.min(60, this.#options.memories / 3)))
        requireStatus(204, await member.call("memory.delete", { memory_id: id }));
    if (kind === "delete a type")
      requireStatus(200, await member.call("memory.delete_all", { memory_type: pick(random, memoryTypes) }));
    if (kind === "delete by tags")
      requireStatus(200, await member.call("memory.delete_all", { tags: [pick(random, tags)] }));
    if (kind === "delete everything") requireStatus(200, await member.call("memory.delete_all", {}));
    if (kind === "pass time") {
      this.#hours += Math.floor(random() * 8) - 2;
      // Removals are stored for a while only, and indexes are kept for a while only.
      seam.passTime(Math.ceil(random() * 3) * hour);
    }
    if (kind === "housekeeping") await seam.letHousekeepingRun();
    if (kind === "change the model") await this.#changeModel(seam);
  }

  #member(which: number): Member {
    const project = this.#projects[which];
    if (project === undefined) throw new Error("there is no such project");
    return project.member;
  }

  /** Reads what is stored. Opened each time, because a restart of the engine removes the files beside the database. */
  #read<Value>(read: (stored: StoredMemories) => Value): Value {
    using stored = readStoredMemories(join(this.#folder, "memledger.db"));
    return read(stored);
  }

  async #create(which: number, count: number): Promise<void> {
    const member = this.#member(which);
    for (let start = 0; start < count; start += batchItems) {
      const made = Array.from({ length: Math.min(batchItems, count - start) }, () => this.#makeMemory());
      const memories = made.map(({ fields }) => fields);
      const prepared = made.map(({ fields, vector }) => ({
        refused: null,
        item: readBatchItem(fields),
        contentKey: contentKey(fields.content),
        id: null,
        exportedId: null,
        vector,
      }));
      const outcome = await member.call("memory.create_batch", { memories }, prepared);
      if (outcome.data.created !== made.length)
        throw new Error(`not everything was created: ${outcome.message}`);
    }
  }

  #makeMemory() {
    const random = this.#random;
    const vector = this.#vectors.next();
    return {
      vector,
      fields: {
        content: this.#text(),
        memory_type: pick(random, memoryTypes),
        importance: this.#importance(vector),
        expires_at: this.#expiry(),
        tags: this.#tags(),
        is_active: random() < 0.9,
      },
    };
  }

  #text(): string {
    this.#written += 1;
    const words = Array.from({ length: Math.floor(this.#random() * 5) }, () =>
      pick(this.#random, vocabulary),
    );
    // One word that some memories have, and one that no other has.
    return [...words, `ticket${this.#written % 37}`, `n${this.#written}`].join(" ");
  }

  /** Equal ones, any, and those with which importance balances the similarity to a pivot, so that scores differ by rounding only. */
  #importance(vector: Float32Array): number {
    const random = this.#random;
    const at = random();
    if (at < 0.35) return 0.5;
    if (at < 0.5) return pick(random, [0, 1, 0.1, 0.30000000000000004]);
    if (at < 0.6) return 0.5 + pick(random, [1e-9, 2 ** -52, -(2 ** -53), 1e-6]);
    if (at < 0.7) return random();
    const similarity = similarityOf(pick(random, this.#vectors.pivots), vector);
    return Math.min(1, Math.max(0, (0.45 - 0.7 * similarity) / 0.3));
  }

  #expiry(): string | null {
    const random = this.#random;
    if (random() < 0.7) return null;
    return new Date(
      Date.now() + Math.floor(random() * 24 - 6) * hour + Math.floor(random() * 3),
    ).toISOString();
  }

  #tags(): string[] {
    const random = this.#random;
    const at = random();
    if (at < 0.4) return [];
    if (at < 0.8) return [...new Set([pick(random, tags), pick(random, tags)])];
    return [pick(random, tags), `session:${Math.floor(random() * 300)}`];
  }

  async #change(member: Member, id: string): Promise<void> {
    const random = this.#random;
    const changes = pick(random, [
      { importance: pick(random, [0, 0.5, 1, random()]) },
      { is_active: random() < 0.5 },
      { memory_type: pick(random, memoryTypes) },
      { tags: this.#tags() },
      { expires_at: this.#expiry() },
      { importance: 0.25, tags: this.#tags(), expires_at: null },
    ]);
    const outcome = await member.call("memory.update", { memory_id: id, ...changes });
    // An expired memory has given its content to no other one here, so every change is accepted.
    requireStatus(200, outcome);
  }

  async #rewrite(member: Member, id: string): Promise<void> {
    const input = { memory_id: id, content: this.#text() };
    requireStatus(200, await member.call("memory.update", input, this.#vectors.next()));
  }

  async #changeModel(seam: Seam): Promise<void> {
    const digits = "0123456789abcdef";
    const to = {
      id: "another-model",
      sha256: Array.from({ length: 64 }, () => pick(this.#random, [...digits])).join(""),
      dimensions: pick(this.#random, [32, 100, 256]),
    };
    requireStatus(200, await seam.administer("model.begin_change", to));
    this.#vectors = createAdversarialVectors(this.#random, to.dimensions);
    for (;;) {
      const missing = await seam.store.models.findMissing(500);
      const change = await seam.store.models.change();
      if (missing.length === 0 || change === null) break;
      await seam.store.models.add(
        change,
        missing.map(({ memory, version }) => ({ memory, version, vector: this.#vectors.next() })),
      );
    }
    requireStatus(200, await seam.administer("model.change", { sha256: to.sha256 }));
    this.#model = to;
  }

  async #compareAll(seam: Seam, moment: string): Promise<void> {
    using stored = readStoredMemories(join(this.#folder, "memledger.db"));
    for (const { member } of this.#projects) {
      const memories = stored.of(member.id);
      this.report.most = Math.max(this.report.most, memories.length);
      for (let count = 0; count < this.#options.searches; count++) {
        const query = this.#query(memories);
        const where = `seed ${this.#options.seed}, ${moment}, ${memories.length} memories`;
        const at = this.#random();
        if (at < 0.15) await this.#compareInjection(seam, member, memories, query, where);
        else if (at < 0.3) await this.#compareSimilar(seam, member, stored, where);
        else this.#requireHits(rankNaively(memories, query), await member.search(query), { where, query });
      }
    }
  }

  #query(memories: readonly NaiveMemory[]): SearchQuery {
    const random = this.#random;
    const query: SearchQuery = {
      vector: this.#queryVector(memories),
      words: random() < 0.5 ? null : this.#queryText(),
      types: random() < 0.6 ? null : memoryTypes.filter(() => random() < 0.6),
      tags: random() < 0.7 ? null : { tags: this.#filterTags(), match: pick(random, ["all", "any"]) },
      topK: pick(random, [1, 2, 10, 49, 50, Math.ceil(random() * 50)]),
      minSimilarity: random() < 0.6 ? 0 : random(),
      includeExpired: random() < 0.3,
      includeInactive: random() < 0.3,
      now: Date.now() + this.#hours * hour,
    };
    if (random() < 0.7) return query;
    // Exactly the similarity of a memory, or the next number above it.
    const everything = rankNaively(memories, { ...query, minSimilarity: 0, topK: memories.length });
    if (everything.length === 0) return query;
    const { similarity } = pick(random, everything);
    return {
      ...query,
      minSimilarity: random() < 0.7 ? similarity : Math.min(1, similarity * (1 + 2 ** -52)),
    };
  }

  #queryVector(memories: readonly NaiveMemory[]): Float32Array {
    const at = this.#random();
    if (at < 0.4) return pick(this.#random, this.#vectors.pivots);
    if (at < 0.7 && memories.length > 0) return pick(this.#random, memories).vector;
    return this.#vectors.next();
  }

  #queryText(): string {
    const random = this.#random;
    const count = random() < 0.1 ? 90 : Math.ceil(random() * 4);
    const word = () =>
      pick(random, [
        pick(random, vocabulary),
        `ticket${Math.floor(random() * 40)}`,
        `n${Math.ceil(random() * this.#written)}`,
      ]);
    return Array.from({ length: count }, word).join(", ");
  }

  #filterTags(): string[] {
    const session = `session:${Math.floor(this.#random() * 300)}`;
    return pick(this.#random, [
      [pick(this.#random, tags)],
      [pick(this.#random, tags), session],
      ["common", "team:red"],
      ["nobody has it"],
    ]);
  }

  async #compareInjection(
    seam: Seam,
    member: Member,
    memories: readonly NaiveMemory[],
    query: SearchQuery,
    where: string,
  ): Promise<void> {
    const wanted: SearchQuery = { ...query, includeExpired: false, includeInactive: false };
    const { rules, hits } = await seam.store.memories.readForInjection(
      member.caller.project,
      wanted,
      neverAborted,
    );
    const found = rules.map(({ id }) => id);
    requireEqual(rulesNaively(memories, query.now), found, { where: `${where}, rules`, query });
    this.#requireHits(rankNaively(memories, wanted), hits, { where: `${where}, injection`, query });
  }

  async #compareSimilar(seam: Seam, member: Member, stored: StoredMemories, where: string): Promise<void> {
    const random = this.#random;
    const memories = stored.of(member.id);
    const vectors = Array.from({ length: Math.floor(random() * 5) }, () => this.#queryVector(memories));
    const exact =
      memories.length === 0 ? 0.5 : similarityOf(this.#vectors.next(), pick(random, memories).vector);
    const query = {
      vectors,
      earlier: new Float32Array(0),
      above: pick(random, [0.9, 0.3, 0, exact]),
      tags: random() < 0.5 ? [] : [pick(random, tags)],
      now: Date.now() + this.#hours * hour,
    };
    const answer = await seam.store.memories.findSimilar(member.caller.project, query, neverAborted);
    const expected = vectors.map((vector) => similarNaively(memories, { ...query, vector }));
    requireEqual(expected, answer.found, { where: `${where}, similar memories`, query });
    const newest = memories.reduce((most, { revision }) => Math.max(most, revision), 0);
    if (answer.revision < newest)
      throw new Error(`${where}: revision ${answer.revision} is before ${newest}`);
    this.report.answers += 1;
    this.report.hits += expected.flat().length;
  }

  #requireHits(
    expected: ReturnType<typeof rankNaively>,
    found: Awaited<ReturnType<Member["search"]>>,
    context: Context,
  ): void {
    const hits = found.map(({ memory: { id, importance }, similarity, keyword, relevance }) => ({
      id,
      importance: importance + 0,
      similarity,
      keyword,
      relevance,
      score: finalScore(relevance, importance),
    }));
    requireEqual(expected, hits, context);
    this.report.answers += 1;
    this.report.hits += hits.length;
    this.report.hitsWithWords += hits.filter(({ keyword }) => keyword > 0).length;
    this.report.ties += hits.filter(({ score }, at) => score === hits[at - 1]?.score).length;
  }
}

interface Context {
  readonly where: string;
  readonly query: object;
}

/** Much faster than `expect` for lists that are equal, and names the first difference. */
function requireEqual(expected: unknown, found: unknown, { where, query }: Context): void {
  if (Bun.deepEquals(expected, found, true)) return;
  const at =
    Array.isArray(expected) && Array.isArray(found)
      ? expected.findIndex((each, index) => !Bun.deepEquals(each, found[index], true))
      : -1;
  const [wanted, got] = [expected, found].map((list) =>
    Bun.inspect(Array.isArray(list) && at >= 0 ? list.slice(at, at + 3) : list),
  );
  throw new Error(
    `${where}: the answer is not that of the naive ranking, from position ${at}.\nexpected ${wanted}\nfound ${got}\nquery ${Bun.inspect({ ...query, vector: "", vectors: "" })}`,
  );
}

function requireStatus(status: number, outcome: { readonly status: number; readonly message: string }): void {
  if (outcome.status !== status) throw new Error(`the call answered ${outcome.status}: ${outcome.message}`);
}
