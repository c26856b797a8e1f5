// Memories in a server, and questions asked of them through the HTTP API. Must never rank anything by itself.

import { copyAlone, createProject, type Server, startServer, temporaryFolder } from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import type { Pool, Question } from "./question-sets.ts";
import { type Rank, rankOf } from "./ranks.ts";

/** A way to ask. */
export interface Mode {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `directory`: null for the model inside the executable. */
export interface Model {
  readonly name: string;
  readonly directory: string | null;
}

/** What was found for one question. */
interface Found {
  readonly question: Question;
  readonly rank: Rank;
  readonly results: number;
  readonly reranked: boolean;
}

/** Of the questions of all pools, in order. */
export interface Answered {
  readonly found: readonly Found[];
  /** Ascending. */
  readonly latenciesMs: readonly number[];
}

interface Filled {
  readonly pool: Pool;
  readonly key: string;
  /** The ids in the pool that each memory has, since equal texts share a memory. */
  readonly idsOf: ReadonlyMap<string, readonly string[]>;
}

/** Memories of one request. */
const batchSize = 50;

/** One project for each pool. Each pass starts the server again, so that no pass finds embedded queries of another. */
export class FilledServer implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #copy: string;
  readonly #flags: readonly string[];
  readonly #filled: Filled[] = [];

  private constructor(executable: string, { directory }: Model) {
    this.#copy = copyAlone(executable, this.#folder.path);
    this.#flags = directory === null ? [] : ["--model", directory];
  }

  static async fill(executable: string, pools: readonly Pool[], model: Model): Promise<FilledServer> {
    const filled = new FilledServer(executable, model);
    await using server = await filled.#start();
    for (const pool of pools) {
      const { key } = await createProject(filled.#copy, filled.#dataDir, pool.id);
      filled.#filled.push({ pool, key, idsOf: await remember(server.port, key, pool) });
    }
    return filled;
  }

  /** Asks every question of its own pool, one after another. */
  async ask({ path, fields }: Mode): Promise<Answered> {
    await using server = await this.#start();
    const found: Found[] = [];
    const latenciesMs: number[] = [];
    for (const { pool, key, idsOf } of this.#filled) {
      const connection = await Connection.open(server.port);
      for (const question of pool.questions) {
        const request = toRequest("POST", path, key, { query: question.text, ...fields });
        const start = performance.now();
        const reply = await connection.send(request);
        latenciesMs.push(performance.now() - start);
        const { results, reranked = false } = dataOf(reply, 200) as {
          results: { memory: { id: string } }[];
          reranked?: boolean;
        };
        const places = results.map(({ memory }) => idsOf.get(memory.id) ?? []);
        const rank = rankOf(places, question.evidence, question.needsAll);
        found.push({ question, rank, results: results.length, reranked });
      }
      connection.close();
    }
    return { found, latenciesMs: latenciesMs.sort((a, b) => a - b) };
  }

  get #dataDir(): string {
    return `${this.#folder.path}/data`;
  }

  #start(): Promise<Server> {
    return startServer(this.#copy, this.#dataDir, ...this.#flags);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** Stores each memory as a fact of the same importance. By fetch, because a Connection sends no more than its socket takes at once. */
export async function remember(port: number, key: string, { memories }: Pool): Promise<Filled["idsOf"]> {
  const idsOf = new Map<string, string[]>();
  for (let from = 0; from < memories.length; from += batchSize) {
    const some = memories.slice(from, from + batchSize);
    const items = some.map(({ content }) => ({ content, memory_type: "fact", importance: 0.5 }));
    const response = await fetch(`http://127.0.0.1:${port}/v1/memories/batch`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ memories: items }),
    });
    const reply = { status: response.status, body: await response.bytes() };
    const { results } = dataOf(reply, 200) as { results: { id?: string; message?: string }[] };
    for (const [at, { id, message }] of results.entries()) {
      const memory = some[at]?.id ?? "";
      if (id === undefined) throw new Error(`Memory ${memory} was refused: ${message}`);
      idsOf.set(id, [...(idsOf.get(id) ?? []), memory]);
    }
  }
  return idsOf;
}
