// Owns the form of an answer that was assembled from what an upstream sent, and the interface of the assemblers.

import type { JsonObject } from "../../platform/json/json.ts";
import type { SseEvent } from "./sse-reader.ts";
import type { Tokens } from "./token-counts.ts";

export interface AssembledAnswer {
  /** The model that answered, as the provider names it. */
  readonly model: string | null;
  /** The provider's id of the answer. */
  readonly id: string | null;
  /** What the assistant says; of several choices the first. */
  readonly text: string;
  /** `output_content` of the record: the text, and what else the answer consists of; null: nothing was received. */
  readonly output: JsonObject | null;
  readonly finishReason: string | null;
  /** Null: unknown. */
  readonly tokens: Tokens | null;
  /** The figures of the provider in its own form, such as those of its cache. */
  readonly usage: JsonObject | null;
  /** An error that the provider reported instead of the answer, or in the middle of a stream. */
  readonly error: JsonObject | null;
  /** Whether the end was received. */
  readonly isComplete: boolean;
  /** Whether parts were left out because of the limits. */
  readonly isTruncated: boolean;
  /** Events that were not read: no JSON, or too long. */
  readonly skippedEvents: number;
}

/**
 * What an event is for the relay: "final": the answer ends with it, but reports about it may follow. "end": nothing follows. "error": the
 * answer breaks off. "usage": a report of the usage and nothing else. "continued": a part of the answer after what seemed to be its end.
 */
export type EventKind = "final" | "end" | "error" | "usage" | "part" | "continued";

export interface AnswerAssembler {
  /** Never throws. */
  take(event: SseEvent): EventKind;
  /** Takes a complete answer that was not streamed, or the body of an error. Never throws. */
  takeWhole(text: string): void;
  /** What was received so far. */
  answer(): AssembledAnswer;
}
