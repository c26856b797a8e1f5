// Owns the type Request: what a transport hands in for one call, before anything of it is trusted.

import type { BodyClaim } from "../access/body-budget.ts";
import type { Caller } from "../access/caller.ts";
import type { Refusal } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";

export interface Request {
  readonly credentials: Credentials;
  readonly input: Input;
  readonly origin: RequestOrigin;
  /** Clock.elapsed() at arrival; left out: the call arrives now. */
  readonly arrivedAt?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What a call claims to be allowed by. */
export type Credentials = KeyCredentials | CallerCredentials | AdministrationCredentials;

export interface KeyCredentials {
  readonly kind: "key";
  /** As it was received; null: none was sent. */
  readonly secret: string | null;
  /** How this transport takes a key, for callers without a valid one. */
  readonly advice: KeyAdvice;
}

/** Whole sentences that say what is wrong and what to do. */
export interface KeyAdvice {
  readonly missing: string;
  readonly unknown: string;
}

/** The caller of another call that is being performed: identified and counted by the rate limit there, and not again. */
export interface CallerCredentials {
  readonly kind: "caller";
  readonly caller: Caller;
  /** Name of the operation that the other call performs. */
  readonly performedFor: string;
  /** Whether the other call is inside Preparation.inTurn, so that this one must not wait for a turn of its own. */
  readonly isInTurn: boolean;
}

/** Access to the data directory is the authority; the transport has made sure of it. */
export interface AdministrationCredentials {
  readonly kind: "administration";
  readonly administrator: Administrator;
}

/** Who administers, as the command or the server that does it says. */
export interface Administrator {
  /** Name of the operating-system user of the process; null: the command did not say. */
  readonly osUser: string | null;
  /** Name of the user who ran sudo; null: not known. */
  readonly sudoUser: string | null;
}

/** The input of the operation: an object, or what has to be received and parsed first. */
export type Input = { readonly kind: "object"; readonly fields: JsonObject } | ReceivedInput;

export interface ReceivedInput {
  readonly kind: "received";
  /** Fields that came outside of the body, such as path and query, already in the types of the schema where they have that form. */
  readonly parameters: JsonObject;
  /** What is wrong with the request's form and only its transport can see; answered once the caller is authorised. */
  readonly fault: Refusal | null;
  /**
   * Receives the body; called once, after the caller is authorised, and never for a call that is refused before.
   * @throws Refusal 1429 or 1503 when the claim is refused; whatever is wrong with the body itself is part of the result.
   */
  readonly receiveBody: (claim: BodyClaim) => Promise<RequestBody>;
}

export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly bytes: Uint8Array; readonly text: string }
  /** It was not received to its end, so nothing of it can be recorded. */
  | { readonly kind: "incomplete"; readonly refusal: Refusal }
  | {
      readonly kind: "unreadable";
      readonly bytes: Uint8Array;
      readonly code: 1400 | 1415;
      readonly message: string;
    };

/** `server`: the server performs the operation itself, such as its first start. */
export type Transport = "http" | "mcp" | "gateway" | "console" | "cli" | "server";

/** Where a call came from. */
export interface RequestOrigin {
  readonly transport: Transport;
  /** Address of the caller; null: the transport has none. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Name and version of the client program, as it says; null: it did not say. */
  readonly client: string | null;
  readonly metadata: RequestMetadata | null;
}

/** Markers of the caller for the record of the call. */
export interface RequestMetadata {
  /** JSON text, or an object that is parsed already. */
  readonly value: string | JsonObject;
  /** What messages call it, such as `The header X-Audit-Metadata`. */
  readonly label: string;
  /** What the `data` of a refusal calls it. */
  readonly field: string;
}
