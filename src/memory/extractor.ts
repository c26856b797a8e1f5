// Owns the interface of extractors: a text in, candidates for memories out. An extractor never stores anything.

import type { Waiter } from "../scheduling/fair-queue.ts";
import type { MemoryType } from "./memory.ts";
import type { Origin } from "./origin.ts";

/**
 * essential: what stays useful for months. full: every statement about a person, a thing, a plan or an event, which takes a language model.
 * verbatim: everything that is said, as passages.
 */
export const extractionDetails = ["essential", "full", "verbatim"] as const;
export type ExtractionDetail = (typeof extractionDetails)[number];

/** How much becomes a memory where nobody says it. */
export const defaultDetail: ExtractionDetail = "essential";

/** A text from which memories are extracted. */
export interface ExtractionSource {
  readonly text: string;
  /** Who says which part of it, in its order; null: the extractor finds the speakers in the text itself. */
  readonly utterances: readonly UtteranceRange[] | null;
  /** Name of the conversation that it is from; null: it has none. */
  readonly conversation: string | null;
  readonly detail: ExtractionDetail;
}

/** Where an utterance is in the text, in UTF-16 offsets; the end is exclusive. */
export interface UtteranceRange {
  readonly speaker: "user" | "assistant";
  /** Of the speaker; null: it is not known. */
  readonly name: string | null;
  /** Milliseconds since 1970; null: it is not known. */
  readonly saidAt: number | null;
  /** Of its message, as the client names it; null: it has no name. */
  readonly id: string | null;
  readonly start: number;
  readonly end: number;
}

/** A candidate for a memory, before it is compared with the memories of the project. */
export interface ExtractedItem {
  /** 1 to 10,000 characters; without a language model, a part of the text, with each run of white space as one blank. */
  readonly content: string;
  readonly type: MemoryType;
  /** Whether it is a passage of a conversation; absent: no. */
  readonly passage?: boolean;
  /** 0..1 */
  readonly importance: number;
  /** Milliseconds since 1970; null is permanent. */
  readonly expiresAt: number | null;
  /** Where it was said; null or absent: it is not known. */
  readonly origin?: Origin | null;
  /** As of Memory; absent: nothing. */
  readonly lead?: string | null;
  /** The sentence of the text from which the item was extracted, or consecutive ones, verbatim. */
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
  /** Null for the built-in extractor, and if the language model's server does not report it. */
  readonly usage: TokenUsage | null;
}

export const extractorNames = ["built-in", "llm"] as const;

export interface Extractor {
  readonly name: (typeof extractorNames)[number];
  /**
   * `now`, in milliseconds since 1970, is the reference of relative dates such as "until Friday". Stops when the signal is aborted.
   * `onRead` is told which part of the text was read, from 0 to 1, if that takes long.
   * @throws Refusal 2103 when the extraction failed, 1503 when the signal was aborted, and what FairQueue.add throws.
   */
  extract(
    source: ExtractionSource,
    now: number,
    waiter: Waiter,
    onRead?: (part: number) => void,
  ): Promise<Extraction>;
}

/** The extractors of a server. */
export interface Extractors {
  readonly builtIn: Extractor;
  /** Null: none is configured. If it fails, the built-in extractor does not replace it. */
  readonly languageModel: Extractor | null;
  /** How long the passages of conversations are kept; null: for ever. */
  readonly passagesLastMs: number | null;
}

/** Who extracts with a detail, and with which one: without a language model, "full" is "verbatim". */
export function chooseExtractor(
  { builtIn, languageModel }: Extractors,
  wanted: ExtractionDetail,
): { readonly extractor: Extractor; readonly detail: ExtractionDetail } {
  const extractor = wanted === "verbatim" ? builtIn : (languageModel ?? builtIn);
  return { extractor, detail: wanted === "full" && languageModel === null ? "verbatim" : wanted };
}
