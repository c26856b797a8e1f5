// Owns the interface of exchanges: calls whose answer goes to the client while they are prepared, because it comes from another server. Its
// end is sent after the record is committed. Must never contain a rule of an operation or of a transport.

import type { PreparedMembers } from "../../audit/parts/prepared-members.ts";
import type { ErrorCode, successCode } from "../../platform/errors.ts";
import type { JsonObject } from "../../platform/json/json.ts";

/** How the request of an operation that is an exchange is received and described. */
export interface ExchangeSettings {
  readonly maxBodyBytes: number;
  /** For the API reference; null: the request has no body. */
  readonly exampleBody: JsonObject | null;
  /** Whether a body may be of another type than JSON. */
  readonly acceptsAnyType?: boolean;
}

/** What an operation needs of the request that it passes on, and where its answer goes while the operation is prepared. */
export interface Exchange {
  /** As received; empty without a body, and after `releaseBody`. */
  readonly body: Uint8Array;
  /** As received. They contain credentials. */
  readonly headers: Headers;
  readonly method: string;
  /** As received, without the query. */
  readonly path: string;
  /** The query of the request with its question mark, such as `?beta=true`; "" without one. */
  readonly search: string;
  /** The id that the record of this call will have. The transport sends it to the client. */
  readonly recordId: string;
  /**
   * Whether an erasure was committed after the exchange began. The call is then prepared a second time, and its record must contain
   * neither contents of memories nor the answer, because the erased text could be in them.
   */
  readonly isErasedMeanwhile: boolean;
  /**
   * Runs work once for the call, also if the call is prepared again: later calls get the same promise. Everything that sends something or
   * has another operation performed must be done this way.
   */
  once<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Determines status and headers. They are sent with the first bytes, or when the record is committed. @throws Error the second time */
  begin(head: AnswerHead): void;
  /** Resolves when the client can take more. @throws Refusal 1499 when the client has closed the connection */
  write(bytes: Uint8Array): Promise<void>;
  /** The end of the answer: bytes that are sent after the record is committed. Replaces what was held before. */
  hold(bytes: readonly Uint8Array[]): void;
  /** The answer has no end: after the record is committed, the connection is cut instead. For answers that broke off upstream. */
  breakOff(): void;
  /** The record will have these members, whatever becomes of the call. Replaces what was kept before. */
  keep(members: PreparedMembers): void;
  /**
   * Commits that the call has no record yet, with what is known of it. To be awaited before anything is sent to another server, and in any
   * case before the call ends. @throws Refusal 1503: nothing may be sent
   */
  open(details: JsonObject): Promise<void>;
  /** Gives the memory of the body back: its bytes are no longer needed. */
  releaseBody(): void;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
}

/** What a transport passes of a request whose operation is an exchange. */
export interface ExchangeSource extends Pick<Exchange, "headers" | "method" | "path" | "search"> {
  readonly client: ExchangeClient;
}

/** The client of an exchange, as its transport reaches it. If nothing was sent to it, the transport prints the answer of the call. */
export interface ExchangeClient {
  /** Whether `begin` was called. */
  readonly isBegun: boolean;
  /** @param recordId sent to the client beside the headers */
  begin(head: AnswerHead, recordId: string): void;
  /** As of Exchange. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends the end of the answer. The record is committed. */
  end(bytes: readonly Uint8Array[]): void;
  /** Closes the connection so that the client notices that the answer is not complete. */
  cut(): void;
}

/** The outcome of an exchange in its record. `details` contain the rest, such as `error_msg` and `request_body`. */
export interface PrecomputedEntry {
  /** HTTP status of the operation. That of its fault, if the answer broke off after the client had got a status. */
  readonly status: number;
  /** 1000, or what went wrong. */
  readonly code: typeof successCode | ErrorCode;
  readonly numbers: {
    readonly balance_consumed_usd?: number;
    readonly is_cache_hit?: boolean;
    /** As the upstream has counted: those of the prompt and of the completion, all of them, and kinds of them. */
    readonly tokens?: Readonly<Record<string, number>>;
  };
}
