// Owns the interface of extractors: a text in, candidates for memories out. An extractor never stores anything.

import type { Waiter } from "../../platform/scheduling/fair-queue.ts";
import type { MemoryType } from "../memory.ts";
import type { Origin } from "../origin.ts";

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
  /** Memories that are no longer true because of the item, as a language model says; absent: none. */
  readonly replaces?: readonly Replacement[];
}

/** What a language model says of a memory that it was shown. */
export interface Replacement {
  /** Id of the memory. */
  readonly memory: string;
  /** Its content as the model was shown it. */
  readonly content: string;
  /** The words of the content that are no longer true, verbatim. */
  readonly quote: string;
}

/** A memory that a language model is shown, because the text may say that it is no longer true. */
export interface NearMemory {
  readonly id: string;
  readonly content: string;
  /** When it was said, or else stored, in milliseconds since 1970. */
  readonly saidAt: number;
}

/** The memories that are nearest to any of the texts, nearest first. @throws what MemoryReader.search throws */
export type FindNear = (texts: readonly string[], signal: AbortSignal) => Promise<readonly NearMemory[]>;

/**
 * Why something that a language model has answered was not done. wrong-form: an item is incomplete or has values that mean nothing.
 * not-quoted: what it quotes is not in the text. not-storable: its content cannot be one of a memory, or its expiry has passed.
 * too-many: it is beyond the limit of one answer. cut-off: an answer ends before it is complete. Of the others the item is stored, and only the
 * replacement is left out: unknown-memory: of a memory that the model was not shown. memory-not-quoted: what it quotes is not in the memory.
 * memory-changed: the memory was changed meanwhile, or replaced by another item. said-earlier: the memory was said after the text.
 */
export const leftOutReasons = [
  "wrong-form",
  "not-quoted",
  "not-storable",
  "too-many",
  "cut-off",
  "unknown-memory",
  "memory-not-quoted",
  "memory-changed",
  "said-earlier",
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

export interface LeftOut {
  readonly reason: LeftOutReason;
  readonly count: number;
}

/** Each reason once, in the order of their list. */
export function countLeftOut(reasons: readonly LeftOutReason[]): LeftOut[] {
  return leftOutReasons
    .map((reason) => ({ reason, count: reasons.filter((each) => each === reason).length }))
    .filter(({ count }) => count > 0);
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
  /** What of the answers of the language model was left out, once for each time; absent: nothing. */
  readonly leftOut?: readonly LeftOutReason[];
}

/** What an extractor may use besides the text. */
interface ExtractionTools {
  /** Told which part of the text was read, from 0 to 1, if that takes long. */
  readonly onRead?: (part: number) => void;
  /** Absent: the items are not compared with memories. */
  readonly findNear?: FindNear;
}

export const extractorNames = ["built-in", "llm"] as const;

export interface Extractor {
  readonly name: (typeof extractorNames)[number];
  /** Whether a memory that it replaces becomes inactive at once; absent: that is suggested. */
  readonly replacesAtOnce?: boolean;
  /**
   * `now`, in milliseconds since 1970, is the reference of relative dates such as "until Friday". Stops when the signal is aborted.
   * @throws Refusal 2103 when the extraction failed, 1503 when the signal was aborted, and what FairQueue.add throws.
   */
  extract(
    source: ExtractionSource,
    now: number,
    waiter: Waiter,
    tools?: ExtractionTools,
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
