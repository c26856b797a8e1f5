// Conversations as memories in a server, and questions asked of them through the HTTP API. Must never rank anything by itself.

import { copyAlone, createProject, type Server, startServer, temporaryFolder } from "./harness.ts";
import { Connection, type HttpReply, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import { type Conversation, type Ranking, toContent } from "./locomo.ts";

/** A way to ask. */
export interface Mode {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Filled {
  readonly conversation: Conversation;
  readonly key: string;
  /** The turns that each memory stands for, since turns of the same text share one. */
  readonly turnsOf: ReadonlyMap<string, readonly string[]>;
}

/** How a question was answered, best first. */
export interface Answered {
  readonly rankings: readonly Ranking[];
  /** Ascending. */
  readonly latenciesMs: readonly number[];
}

/** One project for each conversation. Each pass starts the server again, so that no pass finds embedded queries of another. */
export class FilledServer implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #copy: string;
  readonly #flags: readonly string[];
  readonly #filled: Filled[] = [];

  private constructor(executable: string, model: string | null) {
    this.#copy = copyAlone(executable, this.#folder.path);
    this.#flags = model === null ? [] : ["--model", model];
  }

  static async fill(
    executable: string,
    conversations: readonly Conversation[],
    model: string | null,
  ): Promise<FilledServer> {
    const filled = new FilledServer(executable, model);
    await using server = await filled.#start();
    for (const conversation of conversations) {
      const { key } = await createProject(filled.#copy, filled.#dataDir, conversation.id);
      const turnsOf = await remember(server.port, key, conversation);
      filled.#filled.push({ conversation, key, turnsOf });
    }
    return filled;
  }

  /** Asks every question of its own conversation, one after another, for `depth` results at most. */
  async ask({ path, fields }: Mode, depth: number): Promise<Answered> {
    await using server = await this.#start();
    const rankings: Ranking[] = [];
    const latenciesMs: number[] = [];
    for (const { conversation, key, turnsOf } of this.#filled) {
      const connection = await Connection.open(server.port);
      for (const { question, evidence } of conversation.questions) {
        const request = toRequest("POST", path, key, { query: question, top_k: depth, ...fields });
        const start = performance.now();
        const reply = await connection.send(request);
        latenciesMs.push(performance.now() - start);
        rankings.push({ places: idsOf(reply).map((id) => turnsOf.get(id) ?? []), evidence });
      }
      connection.close();
    }
    return { rankings, latenciesMs: latenciesMs.sort((a, b) => a - b) };
  }

  /** Asks questions that no conversation can answer of all of them; returns how many memories each time came back. */
  async askInVain({ path, fields }: Mode, questions: readonly string[], depth: number): Promise<number[]> {
    await using server = await this.#start();
    const counts: number[] = [];
    for (const { key } of this.#filled) {
      const connection = await Connection.open(server.port);
      for (const query of questions) {
        const reply = await connection.send(toRequest("POST", path, key, { query, top_k: depth, ...fields }));
        counts.push(idsOf(reply).length);
      }
      connection.close();
    }
    return counts;
  }

  /** Gives every memory another importance. */
  async weigh(importance: () => number): Promise<void> {
    await using server = await this.#start();
    for (const { key, turnsOf } of this.#filled) {
      const connection = await Connection.open(server.port);
      for (const id of turnsOf.keys()) {
        const body = { importance: importance() };
        dataOf(await connection.send(toRequest("PUT", `/v1/memories/${id}`, key, body)), 200);
      }
      connection.close();
    }
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

async function remember(
  port: number,
  key: string,
  { turns }: Conversation,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const turnsOf = new Map<string, string[]>();
  const connection = await Connection.open(port);
  for (const turn of turns) {
    const body = { content: toContent(turn), memory_type: "fact", importance: 0.5 };
    const reply = await connection.send(toRequest("POST", "/v1/memories", key, body));
    const { id, memory_id = id } = dataOf(reply, 201, 409) as { id?: string; memory_id?: string };
    if (memory_id === undefined) throw new Error("A created memory has no id.");
    turnsOf.set(memory_id, [...(turnsOf.get(memory_id) ?? []), turn.id]);
  }
  connection.close();
  return turnsOf;
}

function idsOf(reply: HttpReply): string[] {
  const { results } = dataOf(reply, 200) as { results: { memory: { id: string } }[] };
  return results.map(({ memory }) => memory.id);
}
