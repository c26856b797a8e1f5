// Owns the searches whose first memories the thread of the embedder reranks, and their next step. A step takes as long as one run of the model
// at most, so that embeddings of other calls wait no longer. Must never share token vectors between projects.

import { LRUCache } from "lru-cache";
import { maxSim } from "../../memory/ranking/max-sim.ts";
import { chooseRun } from "./batching.ts";
import type { RerankAnswer, RerankRequest } from "./embedder-protocol.ts";
import {
  stepMaxCharacters,
  stepMaxProducts,
  textCharactersPerToken,
  tokenVectorsMaxBytes,
} from "./limits.ts";
import type { TokenVectorModel, TokenVectors } from "./token-vectors.ts";
import type { Tokenize } from "./tokenizer.ts";

export interface RerankJobs {
  readonly isWaiting: boolean;
  /** @throws Error when the tokenizer or a run of these texts fails */
  add(request: RerankRequest): Promise<RerankAnswer>;
  /** Does the next step of the oldest job. */
  step(): void;
}

/** A query or a memory. */
interface Text {
  readonly content: string;
  readonly role: "query" | "passage";
  /** Names the project, the role and the text. */
  readonly key: string;
  ids: readonly number[] | null;
  /** Of the query: only those that count. Null: not known yet. */
  vectors: Int8Array | null;
}

interface Job {
  readonly query: Text;
  readonly memories: readonly Text[];
  readonly scores: Float64Array<ArrayBuffer>;
  scored: number;
  computed: number;
  resolve(answer: RerankAnswer): void;
  reject(error: unknown): void;
}

/**
 * @param load called for the first job, because it takes longer than a server should need to start; returns the same model each time
 * @param maxBytes of the token vectors that are kept
 */
export function createRerankJobs(
  load: () => TokenVectorModel,
  tokenize: Tokenize,
  maxBytes = tokenVectorsMaxBytes,
): RerankJobs {
  const jobs: Job[] = [];
  const kept = new LRUCache<string, Int8Array>({
    maxSize: maxBytes,
    sizeCalculation: ({ byteLength }, key) => byteLength + key.length + entryBytes,
  });

  /** Looks for the texts in memory, and tokenises some of the others. */
  const prepare = (texts: readonly Text[], { maxTokens }: TokenVectorModel): void => {
    let characters = 0;
    for (const text of texts) {
      text.vectors = kept.get(text.key) ?? null;
      if (text.vectors !== null) continue;
      const content = text.content.slice(0, maxTokens * textCharactersPerToken);
      characters += content.length;
      text.ids = tokenize(content, text.role, maxTokens);
      if (characters >= stepMaxCharacters) return;
    }
  };

  const compute = (job: Job, missing: readonly Text[], model: TokenVectorModel): void => {
    const lengths = missing.map(({ ids }) => ids?.length ?? 0);
    const run = model.batching ? chooseRun(lengths).flatMap((at) => missing[at] ?? []) : missing.slice(0, 1);
    const computed = model.compute(run.map(({ ids }) => ids ?? []));
    for (const [at, found] of computed.entries()) {
      const text = run[at];
      if (text === undefined) continue;
      text.vectors = text.role === "query" ? countedVectors(found, model) : found.vectors;
      kept.set(text.key, text.vectors);
    }
    job.computed += run.length;
  };

  /** Compares the query with the next memories. */
  const score = (job: Job, { dimensions, levels }: TokenVectorModel): void => {
    const query = job.query.vectors ?? none;
    for (let products = 0; job.scored < job.memories.length && products < stepMaxProducts; job.scored++) {
      const memory = job.memories[job.scored]?.vectors ?? none;
      job.scores[job.scored] = maxSim(query, memory, dimensions, levels);
      products += (query.length * memory.length) / dimensions;
    }
  };

  const advance = (job: Job): void => {
    const model = load();
    const missing = [job.query, ...job.memories].filter(({ vectors }) => vectors === null);
    const unread = missing.filter(({ ids }) => ids === null);
    if (unread.length > 0) prepare(unread, model);
    else if (missing.length > 0) compute(job, missing, model);
    else score(job, model);
  };

  const toText = (project: string, content: string, role: Text["role"]): Text => ({
    content,
    role,
    key: keyOf(project, role, content),
    ids: null,
    vectors: null,
  });

  return {
    get isWaiting() {
      return jobs.length > 0;
    },
    add({ project, query, texts }) {
      const { promise, resolve, reject } = Promise.withResolvers<RerankAnswer>();
      jobs.push({
        query: toText(project, query, "query"),
        memories: texts.map((text) => toText(project, text, "passage")),
        scores: new Float64Array(texts.length),
        scored: 0,
        computed: 0,
        resolve,
        reject,
      });
      return promise;
    },
    step() {
      const [job] = jobs;
      if (job === undefined) return;
      try {
        advance(job);
        if (job.scored < job.memories.length) return;
        job.resolve({ maxSims: job.scores, computed: job.computed });
      } catch (error) {
        job.reject(error);
      }
      jobs.shift();
    },
  };
}

const none = new Int8Array();
/** What a kept text takes besides its vectors and its key. */
const entryBytes = 200;

/** A digest, because a text may be longer than its vectors. */
function keyOf(project: string, role: string, content: string): string {
  return new Bun.CryptoHasher("sha256").update(`${project}:${role}:${content}`).digest("base64");
}

/** The vectors of the query's tokens that say something about its subject; of all tokens if none does. */
function countedVectors(
  { ids, vectors }: TokenVectors,
  { dimensions, ignoredQueryTokens }: TokenVectorModel,
): Int8Array {
  const rows = [...ids.keys()].filter((at) => !ignoredQueryTokens.has(ids[at] ?? 0));
  if (rows.length === 0) return vectors;
  const counted = new Int8Array(rows.length * dimensions);
  for (const [to, from] of rows.entries()) {
    counted.set(vectors.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions);
  }
  return counted;
}
