// Owns the interface of the cache of answers of the gateway. It is a cache: nothing depends on what it contains, and a failure of it is a miss.

import type { AnswerCollector } from "./answer-collectors.ts";

export interface AnswerKey {
  /** SHA-256 of everything in which identical requests agree, 64 hexadecimal characters. */
  readonly digest: string;
  /** Ids, for removals. */
  readonly project: string;
  readonly keyId: string;
}

/** A complete answer of an upstream. */
export interface CachedAnswer {
  readonly status: number;
  /** Those that describe the body, such as its content type. Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Id of the record of the exchange in which it was received. */
  readonly record: string;
}

export interface AnswerCache {
  /**
   * Another number after every removal. Read it before the exchange begins and pass it to `put`: an answer from before a removal is not
   * stored after it.
   */
  readonly generation: number;
  /** For an answer that may be kept. */
  collect(): AnswerCollector;
  /** Null: there is none, it is too old, or the cache cannot be read. Never throws. */
  find(key: AnswerKey): Promise<CachedAnswer | null>;
  /** Stores an answer, if it is not too large. Call it after the record of the exchange is committed. Never throws. */
  put(key: AnswerKey, answer: CachedAnswer, limits: PutLimits): Promise<void>;
}

export interface PutLimits {
  readonly generation: number;
  /** How long the record of the exchange is kept; null: without a limit. An answer is not kept longer. */
  readonly maxAgeMs: number | null;
}

/** Whose answers are removed; null: all. */
export type AnswerOwner = { readonly project: string } | { readonly keyId: string } | null;

export interface AnswerCacheSettings {
  readonly maxAgeMs: number;
  /** Of all answers together. */
  readonly maxBytes: number;
}
