// Searches a served data directory over HTTP as a client does, while its server is killed and started again and its cache is removed, cut,
// damaged, swapped or old. Every answer must be the naive ranking of what the database holds. Touches no file but those of the cache.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  addProject,
  callOf,
  commitOrThrow,
  type FillingProject,
  withFillingStore,
} from "../../../bench/filling-store.ts";
import type { SearchQuery } from "../../../src/calls/storage/memory-store.ts";
import { type MemoryType, memoryTypes } from "../../../src/memory/memory.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { failureLogEveryMs } from "../../../src/platform/limits.ts";
import { type Server, startServer, temporaryFolder } from "../../crash/server.ts";
import { toBatchCall } from "../../engines/sqlite/batch-call.ts";
import { readStoredMemories } from "../../engines/sqlite/naive-memories.ts";
import { createSearchChoices, type SearchChoices } from "../../engines/sqlite/search-choices.ts";
import { createRandom, pick, type Random } from "../ranking/adversarial-vectors.ts";
import { rankNaively } from "../ranking/naive-ranking.ts";
import * as damage from "./cache-damage.ts";

export interface ServedSearchOptions {
  /** Words before `serve`. */
  readonly command: readonly string[];
  readonly seed: number;
  /** Memories of the large project. */
  readonly memories: number;
  /** Searches of each project after each event. */
  readonly searches: number;
  readonly flags?: readonly string[];
}

interface ServedSearchReport {
  readonly events: number;
  readonly answers: number;
  readonly hits: number;
  /** How many cache files were removed, damaged, swapped or replaced, all together. */
  readonly cacheFiles: number;
  /** Texts of what the servers logged as warnings and errors, each once; a server that logs one of them again is a fault. */
  readonly complaints: readonly string[];
  readonly faults: readonly string[];
}

/** Texts of the queries, with words that memories have. */
const texts = [
  "alpha bravo n17",
  "Zürich ticket5",
  "4711 and tango",
  "papa quebec kilo v2 мир",
  "nobody remembers it",
] as const;
const batchItems = 1_000;

export async function searchServed(options: ServedSearchOptions): Promise<ServedSearchReport> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const proof = new Proof(options, dataDir, join(folder.path, "kept-cache"));
  return await proof.run();
}

class Proof {
  readonly #options: ServedSearchOptions;
  readonly #dataDir: string;
  readonly #cache: string;
  readonly #copy: string;
  readonly #random: Random;
  readonly #vectors = new Map<string, Float32Array>();
  readonly #faults: string[] = [];
  readonly #complaints = new Set<string>();
  #projects: readonly FillingProject[] = [];
  #choices: SearchChoices | null = null;
  #server: Server | null = null;
  #events = 0;
  #answers = 0;
  #hits = 0;
  #cacheFiles = 0;
  #startedAt = 0;

  constructor(options: ServedSearchOptions, dataDir: string, copy: string) {
    this.#options = options;
    this.#dataDir = dataDir;
    this.#cache = damage.cacheOf(dataDir);
    this.#copy = copy;
    this.#random = createRandom(options.seed);
  }

  async run(): Promise<ServedSearchReport> {
    await this.#prepare();
    const random = this.#random;
    await this.#event("first start", () => this.#start());
    await this.#event("restart", () => this.#restart());
    damage.keepCopy(this.#cache, this.#copy);
    await this.#event("kill", () => this.#restart("kill"));
    await this.#event("writes, then a kill", async () => {
      await this.#write();
      await this.#restart("kill");
    });
    await this.#event("an old cache", () =>
      this.#restart("stop", () => this.#spoil(() => damage.putCopyBack(this.#copy, this.#cache))),
    );
    await this.#event("the cache is removed under the server", async () =>
      this.#spoil(() => damage.removeCache(this.#cache)),
    );
    await this.#event("and written again", () => this.#restart());
    await this.#event("damaged files", () =>
      this.#restart("stop", () => this.#spoil(() => damage.damageFiles(this.#cache, random))),
    );
    await this.#event("swapped files", () =>
      this.#restart("stop", () => this.#spoil(() => damage.swapFiles(this.#cache, random))),
    );
    await this.#event("cut files", () =>
      this.#restart("stop", () => this.#spoil(() => damage.cutFiles(this.#cache, random))),
    );
    await this.#event("garbage", () =>
      this.#restart("stop", () => this.#spoil(() => damage.fillWithGarbage(this.#cache, random))),
    );
    await this.#restart();
    await this.#event("garbage under the server", async () =>
      this.#spoil(() => damage.fillWithGarbage(this.#cache, random)),
    );
    // A start removes the garbage, sooner or later; the searches after it make files again.
    await this.#event("a start with garbage", () => this.#restart());
    await this.#restart();
    let undo = () => {};
    await this.#event("a cache that is read-only", async () => {
      this.#spoil(() => {
        undo = damage.makeReadOnly(this.#cache);
      });
    });
    await this.#event("read-only at a start", () => this.#restart());
    await this.#restart("stop", undo);
    await this.#event("a file instead of the cache", () =>
      this.#restart("stop", () => this.#spoil(() => damage.replaceByFile(this.#cache))),
    );
    await this.#event("writes beside it", () => this.#write());
    await this.#event("the end", () => this.#restart("stop", () => damage.removeCache(this.#cache)));
    await this.#stop("stop");
    return {
      events: this.#events,
      answers: this.#answers,
      hits: this.#hits,
      cacheFiles: this.#cacheFiles,
      complaints: [...this.#complaints],
      faults: this.#faults,
    };
  }

  /** Fills a large and a small project, around the vectors that the model gives the queries. */
  async #prepare(): Promise<void> {
    this.#projects = await withFillingStore(this.#dataDir, async (store) => [
      await addProject(store, "large"),
      await addProject(store, "small"),
      await addProject(store, "queries"),
    ]);
    await this.#start();
    const [large, small, queries] = this.#projects;
    if (large === undefined || small === undefined || queries === undefined) throw new Error("no project");
    for (const content of texts) await this.#call(queries, "POST", "", { content, memory_type: "fact" }, 201);
    const contents = await this.#call(queries, "GET", "?page_size=100", null, 200);
    const ids = new Map(toList(contents.memories).map(({ id, content }) => [String(id), String(content)]));
    using stored = readStoredMemories(join(this.#dataDir, "memledger.db"));
    for (const { id, vector } of stored.of(queries.projectId)) this.#vectors.set(ids.get(id) ?? "", vector);
    await this.#stop("stop");
    const directions = [...this.#vectors.values()];
    this.#choices = createSearchChoices(this.#random, directions[0]?.length ?? 0, directions);
    await this.#fill(large, this.#options.memories);
    await this.#fill(small, 900);
  }

  async #fill({ keyId }: FillingProject, count: number): Promise<void> {
    await withFillingStore(this.#dataDir, async (store) => {
      for (let start = 0; start < count; start += batchItems) {
        const length = Math.min(batchItems, count - start);
        const made = Array.from({ length }, () => this.#chosen().memory());
        const { input, prepared } = toBatchCall(made);
        await commitOrThrow(store, callOf("memory.create_batch", keyId, input, prepared));
      }
    });
  }

  #chosen(): SearchChoices {
    if (this.#choices === null) throw new Error("nothing is prepared");
    return this.#choices;
  }

  async #event(name: string, happen: () => Promise<void>): Promise<void> {
    this.#events += 1;
    try {
      await happen();
      for (const project of this.#projects.slice(0, 2)) await this.#searchAll(project);
    } catch (error) {
      this.#faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      if (this.#server?.hasEnded() !== false) await this.#start();
    }
  }

  /** Does something to the cache files, and makes sure that there are some: those of the large project, and of the small one. */
  #spoil(happen: () => void): void {
    const files = damage.cacheFiles(this.#cache);
    const projects = new Set(files.map((path) => dirname(path)));
    if (projects.size < 2) throw new Error(`only ${projects.size} projects have cache files`);
    this.#cacheFiles += files.length;
    happen();
  }

  async #start(): Promise<void> {
    const { command, flags = [] } = this.#options;
    this.#startedAt = performance.now();
    this.#server = await startServer({
      command,
      dataDir: this.#dataDir,
      flags: ["--log-level", "warn", ...flags],
    });
  }

  async #stop(how: "stop" | "kill"): Promise<void> {
    await this.#server?.[how]();
    const logged = this.#server?.log().split("\n") ?? [];
    const messages = logged.filter((line) => line !== "").map(messageOf);
    for (const message of messages) this.#complaints.add(message);
    // A failure that goes on is logged once a minute.
    const allowed = 1 + Math.floor((performance.now() - this.#startedAt) / failureLogEveryMs);
    for (const [message, { length }] of Map.groupBy(messages, (each) => each))
      if (length > allowed) this.#faults.push(`a server logged ${length} times: ${message}`);
    this.#server = null;
  }

  async #restart(how: "stop" | "kill" = "stop", between: () => void = () => {}): Promise<void> {
    await this.#stop(how);
    between();
    await this.#start();
  }

  /** @returns the data of the answer */
  async #call(
    { key }: FillingProject,
    method: string,
    path: string,
    body: JsonObject | null,
    status: number,
  ): Promise<JsonObject> {
    const response = await fetch(`${this.#server?.url}/v1/memories${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body === null ? null : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const envelope: unknown = text === "" ? {} : JSON.parse(text);
    return isObject(envelope) && isObject(envelope.data) ? envelope.data : {};
  }

  /** Creates, changes and deletes some memories of each project. */
  async #write(): Promise<void> {
    const random = this.#random;
    for (const project of this.#projects.slice(0, 2)) {
      for (let count = 0; count < 5; count++) {
        const { is_active: _, ...fields } = this.#chosen().memory().fields;
        await this.#call(project, "POST", "", fields, 201);
      }
      const { memories } = await this.#call(project, "GET", "?page_size=100", null, 200);
      for (const { id } of toList(memories)) {
        const at = random();
        if (at < 0.1) await this.#call(project, "DELETE", `/${id}`, null, 204);
        else if (at < 0.2)
          await this.#call(project, "PUT", `/${id}`, { content: this.#chosen().text() }, 200);
        else if (at < 0.4) await this.#call(project, "PUT", `/${id}`, this.#chosen().change(), 200);
      }
      await this.#call(project, "DELETE", "", { tags: [`session:${Math.floor(random() * 300)}`] }, 200);
    }
  }

  async #searchAll(project: FillingProject): Promise<void> {
    using stored = readStoredMemories(join(this.#dataDir, "memledger.db"));
    const memories = stored.of(project.projectId);
    for (let count = 0; count < this.#options.searches; count++) {
      const { input, query } = this.#query();
      const data = await this.#call(project, "POST", "/search", input, 200);
      const expected = rankNaively(memories, query);
      const results = expected.map(({ id, importance, similarity, keyword, relevance, score }) => {
        const result = { id, similarity, final_score: score };
        const score_details = { similarity, keyword, relevance, importance };
        return input.mode === "hybrid" ? { ...result, score_details } : result;
      });
      const found = toList(data.results).map(({ memory, ...result }) => ({
        id: isObject(memory ?? null) ? Object(memory).id : null,
        ...result,
      }));
      const answer = { results, query: input.query, total: expected.length };
      this.#answers += 1;
      this.#hits += found.length;
      if (Bun.deepEquals(answer, { ...data, results: found }, true)) continue;
      const at = results.findIndex((result, position) => !Bun.deepEquals(result, found[position], true));
      throw new Error(
        `the answer to ${JSON.stringify(input)} in ${project.name} differs at ${at}: expected ${JSON.stringify(results[at])}, found ${JSON.stringify(found[at])}; ${results.length} and ${found.length} results`,
      );
    }
  }

  #query() {
    const random = this.#random;
    const text = pick(random, texts);
    const vector = this.#vectors.get(text);
    if (vector === undefined) throw new Error(`the query ${text} has no vector`);
    const isHybrid = random() < 0.5;
    const type: MemoryType | null = random() < 0.8 ? null : pick(random, memoryTypes);
    const tags = random() < 0.8 ? null : [this.#chosen().tag()];
    const query: SearchQuery = {
      vector,
      words: isHybrid ? text : null,
      types: type === null ? null : [type],
      tags: tags === null ? null : { tags, match: "all" },
      topK: 1 + Math.floor(random() * 50),
      minSimilarity: random() < 0.8 ? 0 : random(),
      includeExpired: random() < 0.3,
      includeInactive: random() < 0.3,
      now: Date.now(),
    };
    const input: JsonObject = {
      query: text,
      mode: isHybrid ? "hybrid" : "semantic",
      rerank: "off",
      top_k: query.topK,
      min_similarity: query.minSimilarity,
      include_expired: query.includeExpired,
      include_inactive: query.includeInactive,
      ...(type === null ? null : { memory_type: type }),
      ...(tags === null ? null : { tags }),
    };
    return { input, query };
  }
}

function messageOf(line: string): string {
  const entry: unknown = JSON.parse(line);
  return isObject(entry) ? String(entry.message) : line;
}

function toList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
