// Owns the interface of a chat API: what the gateway reads of a request, what it changes in it, and how answers and errors are written.

import type { DividedPrompt, PromptLines } from "../../memory/search/prompt.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import type { AnswerAssembler } from "../answer/assembled.ts";
import type { UpstreamKind } from "../upstream.ts";
import type { RequestBody } from "./request-body.ts";

export type DialectName = "chat" | "responses" | "messages";

/**
 * What the end of the conversation consists of, after the last answer of the model: words of the user, only results of tools, or
 * neither. An answer at the very end that the model shall continue does not count.
 */
export type LastTurn = "user" | "tool results" | "none";

export interface ChatRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly hasTools: boolean;
  /** How many answers are asked for. */
  readonly choices: number;
  readonly lastTurn: LastTurn;
  /** Whether the upstream adds a conversation that it has stored. */
  readonly isContinued: boolean;
  /** What the user said last, and what the assistant had said before; null: nothing. */
  readonly userText: string | null;
  /** Index of the message with `userText`; null: there is none. Of an input that is a text: 0. */
  readonly userAt: number | null;
  readonly answeredText: string | null;
  /** The query of the injection, as that of an injection with `messages`; null without words of the user. */
  readonly query: string | null;
  /** Whether a chat page has sent it for itself, such as for the title of a conversation. */
  readonly isConversationTask: boolean;
  /** Lines of memories that the client has put in itself, such as those of hooks, in sections of this service; null: no memory is put in. */
  readonly present: PromptLines | null;
  /** The last messages with words of the user, in their order. */
  readonly userTurns: readonly UserTurn[];
}

/** A message with words of the user. */
export interface UserTurn {
  /** Its place among all messages with words of the user. */
  readonly at: number;
  /** Digest of what users and assistants have said up to its end: the same in every request that carries it in its history. */
  readonly digest: string;
}

/** How a request is recorded. Large base64 data is replaced by its digest. */
export interface RecordedRequest {
  /** The whole body. */
  readonly body: JsonObject;
  /** The conversation: `input_content` of the record. */
  readonly input: JsonObject | readonly Json[];
}

export interface Changes {
  /** The sections to put in; an empty text: none. The reference belongs to the last message with words of the user. */
  readonly prompt: DividedPrompt;
  /** By UserTurn.at: the references of messages that have had one before. The last message has at most one of both. */
  readonly earlier: ReadonlyMap<number, string>;
  /** Whether a stream shall report its usage, if the client has not said. */
  readonly asksForUsage: boolean;
}

/** Which section of Changes it is; a number: that of an earlier message, by UserTurn.at. */
export type SectionName = "rules" | "reference" | number;

export interface ChangedRequest {
  readonly text: string;
  /** The sections that are in the text now, in their order in it. */
  readonly put: readonly SectionName[];
  /** Whether the client must not get the event that only reports the usage. */
  readonly removesUsageEvent: boolean;
}

/** An error of the gateway, before it has the form of an API. */
export interface GatewayError {
  readonly status: number;
  /** A sentence that says what to do next. */
  readonly message: string;
  /** The name of the field at fault; null: none. */
  readonly field: string | null;
}

export interface Dialect {
  readonly name: DialectName;
  /** Upstreams that understand it. */
  readonly kind: UpstreamKind;
  /** The path of a request without `/v1`. */
  readonly path: string;
  /** @throws Refusal 1400 for a body without a conversation */
  read(body: RequestBody): ChatRequest;
  record(body: RequestBody): RecordedRequest;
  /**
   * Changes the text at positions; every other byte stays. Facts and contexts go to the end of a message with words of the user, also when
   * results of tools follow, so that all requests of one tool loop, and of the turns after it, begin with the same bytes.
   */
  change(body: RequestBody, changes: Changes): ChangedRequest;
  /** An assembler for the answer to a request: the events of a stream, or one text. */
  assemble(request: Pick<ChatRequest, "choices">): AnswerAssembler;
  toError(error: GatewayError): JsonObject;
}
