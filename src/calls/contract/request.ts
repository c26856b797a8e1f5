// Owns the type Request: what a transport passes for one call. Nothing in it is trusted yet.

import type { Administrator } from "../../access/administrator.ts";
import type { BodyClaim } from "../../access/body-budget.ts";
import type { Caller } from "../../access/caller.ts";
import type { Session } from "../../access/session.ts";
import type { Conversation, Subject } from "../../memory/owner.ts";
import type { RememberedPart } from "../../memory/remembering/task.ts";
import type { Refusal } from "../../platform/errors.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import type { ExchangeSource } from "./exchange.ts";

export interface Request {
  readonly credentials: Credentials;
  readonly input: Input;
  readonly origin: RequestOrigin;
  /** The name of a subject in a header, as received; absent or null: none. */
  readonly subject?: string | null;
  /** The name of the conversation of an exchange in a header, as received; absent or null: none. */
  readonly conversation?: string | null;
  /** Clock.elapsed() at arrival; absent: now. */
  readonly arrivedAt?: number;
  /** Whether the rate limit has counted this call already, when it was admitted (calls/admission.ts); absent: it has not. */
  readonly isCounted?: boolean;
  /** Receives how far a call that runs long is; absent: nobody wants to know. */
  readonly onProgress?: ReportProgress;
  /** Of an operation that is an exchange; absent for all others. */
  readonly exchange?: ExchangeSource;
  /** The id that the record of the call gets; absent: it is made with the record. */
  readonly recordId?: string;
  /** How long the caller waits for the answer, in milliseconds; absent: as long as it takes. */
  readonly answerWithinMs?: number;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** @param done from 0 to 1; it never falls. @param message what is being done */
export type ReportProgress = (done: number, message: string) => void;

/** What authorises a call. */
export type Credentials =
  | KeyCredentials
  | LocalCredentials
  | SessionCredentials
  | LinkCredentials
  | CallerCredentials
  | TaskCredentials
  | AdministrationCredentials;

export interface KeyCredentials {
  readonly kind: "key";
  /** As received; null: none was sent. */
  readonly secret: string | null;
  /** Messages for callers without a valid key: they say how this transport receives a key. */
  readonly advice: KeyAdvice;
}

/** Complete messages: what is wrong, and what to do. */
export interface KeyAdvice {
  readonly missing: string;
  readonly unknown: string;
}

/** The local key of a project, which `key.local` has answered. Authorised by access to the data directory, which the transport has verified. */
export interface LocalCredentials {
  readonly kind: "local";
  /** Id of the key, as received; null: none was sent. */
  readonly keyId: string | null;
  readonly administrator: Administrator;
  /** Messages for callers without a local key. */
  readonly advice: KeyAdvice;
}

/** A session of the console. Its person is an administrator, or uses a key (access/session.ts). */
export interface SessionCredentials {
  readonly kind: "session";
  /** As received. */
  readonly secret: string;
  /**
   * Id of the project of an operation of a project, as received. An administrator needs one, and acts with the console's key of the
   * project; a key has its own project. Null: none was sent.
   */
  readonly project: string | null;
}

/** A sign-in link, which authorises `session.open` once. */
export interface LinkCredentials {
  readonly kind: "link";
  /** As received. */
  readonly secret: string;
}

/** The caller of another call that is being performed. That call identified the caller and was counted by the rate limit. */
export interface CallerCredentials {
  readonly kind: "caller";
  readonly caller: Caller;
  /** Name of the operation that the other call performs. */
  readonly performedFor: string;
  /** Whether the other call is inside Preparation.inTurn; then this one must not wait for a turn. */
  readonly isInTurn: boolean;
  /** The session in which the other call was sent; null: none. */
  readonly session: Session | null;
}

/** The key of a call that has ended, of which the server remembers the answer. The rate limit has counted that call. */
export interface TaskCredentials {
  readonly kind: "task";
  readonly keyId: string;
  /** Whom that call was for; null: the project itself. */
  readonly subject: Subject | null;
  /** Which conversation it named; null: none. */
  readonly conversation: Conversation | null;
  /** Name of the operation of that call. */
  readonly performedFor: string;
  readonly remembers: RememberedPart;
}

/** Authorised by access to the data directory, which the transport has verified. */
export interface AdministrationCredentials {
  readonly kind: "administration";
  readonly administrator: Administrator;
}

/** The input of the operation: an object, or a body that is not received yet. */
export type Input = ObjectInput | ReceivedInput;

export interface ObjectInput {
  readonly kind: "object";
  readonly fields: JsonObject;
  /** As of ReceivedInput; absent: none. */
  readonly fault?: Refusal | null;
}

export interface ReceivedInput {
  readonly kind: "received";
  /** Fields of path and query, converted to the types of the schema if possible. */
  readonly parameters: JsonObject;
  /** A fault that only the transport can detect; refused after the caller is authorised. Null: none. */
  readonly fault: Refusal | null;
  /**
   * Receives the body. Called at most once, after the caller is authorised. A fault of the body is part of the result.
   * @throws Refusal 1429 or 1503 if the claim is refused
   */
  readonly receiveBody: (claim: BodyClaim) => Promise<RequestBody>;
}

export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly bytes: Uint8Array; readonly text: string }
  /** Of an exchange. Only its operation reads and records it. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** It was not received completely, so it cannot be recorded. */
  | { readonly kind: "incomplete"; readonly refusal: Refusal }
  | {
      readonly kind: "unreadable";
      readonly bytes: Uint8Array;
      readonly code: 1400 | 1415;
      readonly message: string;
    };

/** `server`: the server performs the operation itself, for example at its first start. */
export type Transport = "http" | "mcp" | "gateway" | "console" | "cli" | "server";

/** The origin of a call, as received. */
export interface RequestOrigin {
  readonly transport: Transport;
  /** Address of the client; null: the transport has none. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Name and version of the client program, as reported by it; null: not reported. */
  readonly client: string | null;
  readonly metadata: RequestMetadata | null;
  /** The person for whom the client says that it acts, as received; absent or null: nobody is named. */
  readonly onBehalfOf?: string | null;
}

/** Metadata of the caller for the record of the call. */
export interface RequestMetadata {
  /** JSON text, or an object that is parsed already. */
  readonly value: string | JsonObject;
  /** Its name in messages, such as `The header X-Audit-Metadata`. */
  readonly label: string;
  /** Its name in the `data` of a refusal. */
  readonly field: string;
}
