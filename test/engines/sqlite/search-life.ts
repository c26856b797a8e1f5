// Owns the life of a store in the tests of exact order: memories are created, changed and deleted in every way, the clock moves, the engine
// is started again and the model is replaced. After each step, searches of every kind are compared with the naive ranking of what is
// stored. Everything depends on the seed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOrigins, memoryTypes } from "../../../src/memory/memory.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { createOwnKey, openLedgerFiles } from "../../../src/server/ledger/ledger-files.ts";
import { type Member, openMember, openSeam, type Seam, seamModel } from "../../calls/storage/seam.ts";
import { createRandom, pick, type Random } from "../../memory/ranking/adversarial-vectors.ts";
import { toBatchCall } from "./batch-call.ts";
import { readStoredMemories } from "./naive-memories.ts";
import {
  type Compared,
  compareInjection,
  compareSearch,
  compareSimilar,
  createCompared,
} from "./search-answers.ts";
import { createSearchChoices, type SearchChoices } from "./search-choices.ts";

export interface LifeOptions {
  readonly seed: number;
  readonly dimensions: number;
  /** Memories of the first project at the beginning. */
  readonly memories: number;
  readonly steps: number;
  /** Comparisons of each project after one step or several ones. */
  readonly searches: number;
  /** 0: everything is searched in the database. */
  readonly searchCacheBytes: number;
}

interface LifeReport {
  readonly compared: Compared;
  /** The most memories that a project had. */
  readonly most: number;
}

const hour = 3_600_000;
const batchItems = 1_000;

/** How often each step is taken, of a hundred. */
const steps = {
  create: 20,
  change: 15,
  rewrite: 15,
  delete: 15,
  "delete a type": 5,
  "delete an origin": 2,
  "delete by tags": 7,
  "delete by metadata": 7,
  "delete everything": 2,
  "pass time": 6,
  housekeeping: 6,
  restart: 5,
  "change the model": 2,
};
type Step = keyof typeof steps;

/** @throws Error that names the seed, the step and the query when an answer is not that of the naive ranking */
export async function liveSearches(options: LifeOptions): Promise<LifeReport> {
  const folder = mkdtempSync(join(tmpdir(), "memledger-search-life-"));
  try {
    return await new Life(folder, options).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Life {
  readonly #folder: string;
  readonly #options: LifeOptions;
  readonly #ledger: ReturnType<typeof openLedgerFiles>;
  readonly #random: Random;
  readonly #choices: SearchChoices;
  readonly #compared = createCompared();
  #model: typeof seamModel;
  #members: Member[] = [];
  #most = 0;

  constructor(folder: string, options: LifeOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#ledger = openLedgerFiles(folder, createOwnKey(folder));
    this.#random = createRandom(options.seed);
    this.#choices = createSearchChoices(this.#random, options.dimensions);
    this.#model = { ...seamModel, dimensions: options.dimensions };
  }

  async run(): Promise<LifeReport> {
    let seam = await this.#open();
    try {
      this.#members = [await seam.project(), await seam.project()];
      const [first, second] = this.#members;
      if (first !== undefined) await this.#create(first, this.#options.memories);
      if (second !== undefined) await this.#create(second, Math.min(50, this.#options.memories));
      await this.#compareAll(seam, "the beginning");
      const taken: Step[] = [];
      for (let number = 1; number <= this.#options.steps; number++) {
        const step = this.#chooseStep();
        if (step === "restart") {
          await close(seam);
          seam = await this.#open();
        } else await this.#take(step, seam);
        taken.push(step);
        // Changes of several kinds come together to an index, too.
        if (this.#random() < 0.4 && number < this.#options.steps) continue;
        await this.#compareAll(seam, `step ${number}, after ${taken.join(" and ")}`);
        taken.length = 0;
      }
      return { compared: this.#compared, most: this.#most };
    } finally {
      await close(seam);
    }
  }

  async #open(): Promise<Seam> {
    const seam = await openSeam({
      path: join(this.#folder, "memledger.db"),
      ledger: this.#ledger,
      model: this.#model,
      searchCacheBytes: this.#options.searchCacheBytes,
    });
    this.#members = await Promise.all(this.#members.map(({ id }) => openMember(seam, id)));
    return seam;
  }

  #chooseStep(): Step {
    const all = (Object.keys(steps) as Step[]).flatMap((step) => Array<Step>(steps[step]).fill(step));
    return pick(this.#random, all);
  }

  async #take(step: Exclude<Step, "restart">, seam: Seam): Promise<void> {
    const random = this.#random;
    const choices = this.#choices;
    const { memories } = this.#options;
    const member = pick(random, [...this.#members, ...this.#members.slice(0, 1)]);
    const remove = async (input: {
      memory_type?: string;
      origin?: string;
      tags?: string[];
      metadata?: JsonObject;
    }) => requireStatus(200, await member.call("memory.delete_all", input));
    if (step === "create") await this.#create(member, Math.ceil(random() * Math.max(20, memories / 4)));
    if (step === "change") {
      for (const memory_id of this.#some(member, 20))
        requireStatus(200, await member.call("memory.update", { memory_id, ...choices.change() }));
    }
    if (step === "rewrite") {
      for (const memory_id of this.#some(member, 20)) {
        const input = { memory_id, content: choices.text() };
        requireStatus(200, await member.call("memory.update", input, choices.vector()));
      }
    }
    if (step === "delete") {
      for (const memory_id of this.#some(member, Math.min(60, memories / 3)))
        requireStatus(204, await member.call("memory.delete", { memory_id }));
    }
    if (step === "delete a type") await remove({ memory_type: pick(random, memoryTypes) });
    if (step === "delete an origin") await remove({ origin: pick(random, memoryOrigins) });
    if (step === "delete by tags") await remove({ tags: [choices.tag()] });
    if (step === "delete by metadata") await remove({ metadata: choices.metadataFilter() });
    if (step === "delete everything") await remove({});
    if (step === "pass time") {
      choices.passHours(Math.floor(random() * 8) - 2);
      // Removals are stored for a while only, and indexes are kept for a while only.
      seam.passTime(Math.ceil(random() * 3) * hour);
    }
    if (step === "housekeeping") await seam.letHousekeepingRun();
    if (step === "change the model") await this.#changeModel(seam);
  }

  /** Ids of at most so many memories, sometimes of many times as many. */
  #some({ id }: Member, count: number): string[] {
    using stored = readStoredMemories(join(this.#folder, "memledger.db"));
    const all = stored.idsOf(id);
    const length = all.length === 0 ? 0 : Math.ceil(this.#random() * count * (this.#random() < 0.1 ? 20 : 1));
    return [...new Set(Array.from({ length }, () => pick(this.#random, all)))];
  }

  async #create(member: Member, count: number): Promise<void> {
    for (let start = 0; start < count; start += batchItems) {
      const length = Math.min(batchItems, count - start);
      const made = Array.from({ length }, () => this.#choices.memory());
      const { input, prepared } = toBatchCall(made);
      const { data, message } = await member.call("memory.create_batch", input, prepared);
      if (data.created !== length) throw new Error(`not everything was created: ${message}`);
    }
  }

  async #changeModel(seam: Seam): Promise<void> {
    const digits = [..."0123456789abcdef"];
    const sha256 = Array.from({ length: 64 }, () => pick(this.#random, digits)).join("");
    const to = { id: "another-model", sha256, dimensions: pick(this.#random, [32, 100, 256]) };
    requireStatus(200, await seam.administer("model.begin_change", to));
    this.#choices.changeModel(to.dimensions);
    for (;;) {
      const missing = await seam.store.models.findMissing(500);
      const change = await seam.store.models.change();
      if (missing.length === 0 || change === null) break;
      const made = missing.map(({ memory, version }) => ({
        memory,
        version,
        vector: this.#choices.vector(),
      }));
      await seam.store.models.add(change, made);
    }
    requireStatus(200, await seam.administer("model.change", { sha256 }));
    this.#model = to;
  }

  async #compareAll(seam: Seam, moment: string): Promise<void> {
    const choices = this.#choices;
    // Opened each time, because a restart of the engine removes the files beside the database.
    using stored = readStoredMemories(join(this.#folder, "memledger.db"));
    for (const member of this.#members) {
      const memories = stored.of(member.id);
      this.#most = Math.max(this.#most, memories.length);
      const where = `seed ${this.#options.seed}, ${moment}, ${memories.length} memories`;
      const comparison = { seam, member, memories, where, compared: this.#compared };
      for (let count = 0; count < this.#options.searches; count++) {
        const at = this.#random();
        if (at < 0.15) await compareInjection(comparison, choices.query(memories));
        else if (at < 0.3) await compareSimilar(comparison, choices.similarityQuery(memories));
        else await compareSearch(comparison, choices.query(memories));
      }
    }
  }
}

async function close(seam: Seam): Promise<void> {
  await seam.close();
  if (seam.complaints.length > 0) throw new Error(`the engine complained: ${seam.complaints.join("\n")}`);
}

function requireStatus(status: number, outcome: { readonly status: number; readonly message: string }): void {
  if (outcome.status !== status) throw new Error(`the call answered ${outcome.status}: ${outcome.message}`);
}
