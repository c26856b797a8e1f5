// Owns the test of searches during writes: clients search several projects while others write to them, and each answer must be explained by
// one state between its request and its arrival.

import type { MemoryType } from "../../../src/memory/memory.ts";
import { type Member, neverAborted, openSeam, type Seam, seamModel } from "../../calls/storage/seam.ts";
import { createRandom, pick, type Random } from "../../memory/ranking/adversarial-vectors.ts";
import { type NaiveMemory, wordsOf } from "../../memory/ranking/naive-ranking.ts";
import { toBatchCall } from "./batch-call.ts";
import { readStoredMemories } from "./naive-memories.ts";
import { createSearchChoices, type SearchChoices } from "./search-choices.ts";
import { createSearchHistory, type SearchHistory, type State } from "./search-history.ts";

export interface ConcurrencyOptions {
  readonly seed: number;
  readonly dimensions: number;
  /** Memories of each project. */
  readonly projects: readonly number[];
  /** Clients that search each project. */
  readonly clients: number;
  /** Bursts of writes to each project. */
  readonly bursts: number;
  readonly searchCacheBytes: number;
}

interface ConcurrencyReport {
  readonly answers: number;
  /** Answers with a write that was not answered when they were asked for. */
  readonly duringWrites: number;
  /** Searches whose client closed the connection. */
  readonly aborted: number;
}

const batchItems = 1_000;
/** Of each client, also when the writes end sooner. */
const searchesAtLeast = 10;

/** @throws Error when an answer is not explained by any state */
export async function searchDuringWrites(options: ConcurrencyOptions): Promise<ConcurrencyReport> {
  const { dimensions, searchCacheBytes, projects } = options;
  const seam = await openSeam({ model: { ...seamModel, dimensions }, searchCacheBytes });
  try {
    const running = projects.map(async (memories, at) => {
      const project = new Project(seam, await seam.project(), { ...options, seed: options.seed + at });
      return project.run(memories);
    });
    const reports = await allOrFirstError(running);
    if (seam.complaints.length > 0) throw new Error(`the engine complained: ${seam.complaints.join("\n")}`);
    const sum = (name: keyof ConcurrencyReport) => reports.reduce((all, report) => all + report[name], 0);
    return { answers: sum("answers"), duringWrites: sum("duringWrites"), aborted: sum("aborted") };
  } finally {
    await seam.close();
  }
}

class Project {
  readonly #seam: Seam;
  readonly #member: Member;
  readonly #options: ConcurrencyOptions;
  readonly #random: Random;
  readonly #choices: SearchChoices;
  /** What is there when no write is under way. */
  readonly #state: State = new Map();
  #isWriting = true;
  #aborted = 0;

  constructor(seam: Seam, member: Member, options: ConcurrencyOptions) {
    this.#seam = seam;
    this.#member = member;
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.#choices = createSearchChoices(this.#random, options.dimensions);
  }

  async run(memories: number): Promise<ConcurrencyReport> {
    for (let start = 0; start < memories; start += batchItems)
      await this.#createBatch(Math.min(batchItems, memories - start));
    using stored = readStoredMemories(this.#seam.path);
    for (const memory of stored.of(this.#member.id))
      this.#state.set(memory.id, { ...memory, serial: serialOf(memory.id) });
    const history = createSearchHistory(new Map(this.#state));
    const searching = Array.from({ length: this.#options.clients }, (_, client) =>
      this.#search(history, client),
    );
    await allOrFirstError([this.#writeAll(history), ...searching]);
    return { ...history.explain(), aborted: this.#aborted };
  }

  async #writeAll(history: SearchHistory): Promise<void> {
    try {
      for (let burst = 0; burst < this.#options.bursts; burst++) await this.#write(history);
    } finally {
      this.#isWriting = false;
    }
  }

  async #search(history: SearchHistory, client: number): Promise<void> {
    const { memories } = this.#seam.store;
    const { owner } = this.#member.caller;
    for (let number = 0; this.#isWriting || number < searchesAtLeast; number++) {
      const query = { ...this.#choices.query([]), now: this.#seam.now() };
      const askedAt = history.moment();
      if ((client + number) % 7 === 0) {
        const leaving = new AbortController();
        const asked = memories.search(owner, query, leaving.signal).catch(() => null);
        leaving.abort();
        this.#aborted += (await asked) === null ? 1 : 0;
      } else if (number % 3 === 0) {
        const { rules, hits } = await memories.readForInjection(
          owner,
          { ...query, prompt: null },
          neverAborted,
        );
        const ids = rules.map(({ id }) => id);
        history.record({ query, askedAt, answeredAt: history.moment(), hits, rules: ids });
      } else {
        const hits = await memories.search(owner, query, neverAborted);
        history.record({ query, askedAt, answeredAt: history.moment(), hits, rules: null });
      }
    }
  }

  /** One to three writes at once, each to a memory of its own, or one that deletes many. */
  async #write(history: SearchHistory): Promise<void> {
    const random = this.#random;
    const ids = [...this.#state.keys()];
    if (ids.length === 0) return history.write([() => this.#create()]);
    const chosen = new Set(Array.from({ length: 3 }, () => pick(random, ids)));
    const writes = [...chosen].slice(0, 1 + Math.floor(random() * 3)).map((id) => this.#chooseWrite(id));
    await history.write(random() < 0.05 ? [() => this.#removeTagged()] : writes);
  }

  #chooseWrite(id: string): () => Promise<(state: State) => void> {
    const at = this.#random();
    if (at < 0.3) return () => this.#create();
    if (at < 0.5) return () => this.#remove(id);
    if (at < 0.75) return () => this.#rewrite(id);
    return () => this.#change(id);
  }

  async #create() {
    const { fields, vector, passage } = this.#choices.memory();
    const { memory_type: type, expires_at, is_active: _, ...rest } = fields;
    const expiresAt = expires_at === null ? null : Date.parse(expires_at);
    const { status, data } = await this.#member.create({ ...rest, vector, type, passage, expiresAt });
    requireStatus(201, status);
    const memory: NaiveMemory = {
      id: String(data.id),
      serial: serialOf(String(data.id)),
      type,
      passage,
      importance: fields.importance,
      active: true,
      expiresAt,
      tags: fields.tags,
      metadata: fields.metadata,
      words: new Set(wordsOf(fields.content)),
      vector,
    };
    return this.#done((state) => state.set(memory.id, memory));
  }

  async #remove(memory_id: string) {
    requireStatus(204, (await this.#member.call("memory.delete", { memory_id })).status);
    return this.#done((state) => state.delete(memory_id));
  }

  async #rewrite(memory_id: string) {
    const [content, vector] = [this.#choices.text(), this.#choices.vector()];
    requireStatus(200, (await this.#member.call("memory.update", { memory_id, content }, vector)).status);
    const words = new Set(wordsOf(content));
    return this.#done((state) => change(state, memory_id, { words, vector, passage: false }));
  }

  async #change(memory_id: string) {
    const [memory_type, importance] = [pick<MemoryType>(this.#random, ["rule", "fact"]), this.#random()];
    const input = { memory_id, memory_type, importance };
    requireStatus(200, (await this.#member.call("memory.update", input)).status);
    return this.#done((state) => change(state, memory_id, { type: memory_type, importance, passage: false }));
  }

  async #removeTagged() {
    const tag = this.#choices.tag();
    requireStatus(200, (await this.#member.call("memory.delete_all", { tags: [tag] })).status);
    return this.#done((state) => {
      for (const { id, tags } of [...state.values()]) if (tags.includes(tag)) state.delete(id);
    });
  }

  /** Also changes what later writes choose from. */
  #done(apply: (state: State) => void): (state: State) => void {
    apply(this.#state);
    return apply;
  }

  async #createBatch(length: number): Promise<void> {
    const made = Array.from({ length }, () => this.#choices.memory());
    const { input, prepared } = toBatchCall(made);
    requireStatus(200, (await this.#member.call("memory.create_batch", input, prepared)).status);
  }
}

/** A number in the order of creation, like the id: its milliseconds and its counter (ids.ts). */
function serialOf(id: string): number {
  const milliseconds = Number.parseInt(id.slice(0, 12), 16) - Date.UTC(2026);
  return milliseconds * 4_096 + Number.parseInt(id.slice(13, 16), 16);
}

/** Waits for all, so that none of them meets a store that is closed because another one has failed. */
async function allOrFirstError<Value>(running: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

function change(state: State, id: string, changes: Partial<NaiveMemory>): void {
  const memory = state.get(id);
  if (memory !== undefined) state.set(id, { ...memory, ...changes });
}

function requireStatus(wanted: number, status: number): void {
  if (status !== wanted) throw new Error(`the call answered ${status}, not ${wanted}`);
}
