// Owns what extraction is to the rest of the program: text goes in, candidates for memories come out. Never stores anything.

import type { Waiter } from "../scheduling/fair-queue.ts";
import type { MemoryType } from "./memory.ts";

/** Something worth remembering, before anybody has compared it with what is remembered already. */
export interface ExtractedItem {
  /** 1 to 10,000 characters; understandable without the text it came from. */
  readonly content: string;
  readonly type: MemoryType;
  /** 0..1 */
  readonly importance: number;
  /** Milliseconds since 1970; null is permanent. */
  readonly expiresAt: number | null;
  /** The sentence of the text that says it, verbatim. */
  readonly evidence: string;
}

export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface Extraction {
  /** In the order of the text. */
  readonly items: readonly ExtractedItem[];
  /** Name of the language model; null for the built-in extractor. */
  readonly model: string | null;
  /** Null for the built-in extractor, and where the language model's server does not tell. */
  readonly usage: TokenUsage | null;
}

export const extractorNames = ["built-in", "llm"] as const;

export interface Extractor {
  readonly name: (typeof extractorNames)[number];
  /**
   * `now` in milliseconds since 1970, what "until Friday" is relative to. Stops when the waiter's signal is aborted.
   * @throws Refusal 2103 when the text could not be worked on; 1503 when the signal was aborted; what FairQueue.add throws.
   */
  extract(text: string, now: number, waiter: Waiter): Promise<Extraction>;
}
