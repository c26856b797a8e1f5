// Owns the data that the two halves of a call exchange: the first half prepares the call, the second settles it in a transaction.
// Everything here is plain data, because the halves run in different threads (and later on different machines).

import type { Administrator } from "../../access/administrator.ts";
import type { Token } from "../../access/token.ts";
import type { EncodedPayload } from "../../audit/parts/parts.ts";
import type { Conversation, Person, Subject } from "../../memory/owner.ts";
import type { RememberedPart } from "../../memory/remembering/task.ts";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Answer, Refused } from "./answer.ts";
import type { PrecomputedEntry } from "./exchange.ts";
import type { RequestOrigin } from "./request.ts";

/** Size and digest of a body that the ledger does not store: it is not I-JSON. */
export interface UnreadableBody {
  readonly length: number;
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The origin of a call, as recorded. */
export interface Origin extends Omit<RequestOrigin, "metadata" | "onBehalfOf"> {
  readonly metadata: JsonObject | null;
  /** The canonical name of the person for whom the client says that it acts. Nobody has checked it. Absent: nobody is named. */
  readonly onBehalfOf?: string;
  /**
   * Who performs administration or uses a local key, or asked for the link by which the administrator signed in to the console; absent
   * for other calls of a project.
   */
  readonly administrator?: Administrator;
  /** Id of the administration key with which the call was sent; absent for other calls. */
  readonly administrationKey?: string;
  /** Id of the session of the console in which the call was sent; absent for other calls. */
  readonly session?: string;
  /** Name of the operation that had this one performed for its caller; absent for other calls. */
  readonly performedFor?: string;
  /** What of an answer of the gateway the call extracts; absent for other calls. Its outcome removes it from the queue. */
  readonly remembers?: RememberedPart;
}

export interface Call {
  /** Name of the operation; of a refused call also the name of a request whose operation is not known (`mcp.request`). */
  readonly operation: string;
  /** Null: administration, or a call without a known key, which is refused; both belong to the installation's chain. */
  readonly keyId: string | null;
  /** With which the key is used; the call then has its subject. Absent: with none. */
  readonly token?: Token;
  /** Id of the sign-in link that authorises the call; absent for other calls. */
  readonly link?: string;
  /** Id of the project in whose queue the call waits for the writer; absent: the server's own. */
  readonly project?: string;
  readonly origin: Origin;
  /** Clock.elapsed() at arrival. */
  readonly arrivedAt: number;
  /** Id of its record, if it was made at arrival; absent: it is made with the record. */
  readonly recordId?: string;
  /** The memory that the path names, even if it does not exist. */
  readonly memoryId: string | null;
  /** Other parameters of path and query, as recorded; null: none. */
  readonly parameters: JsonObject | null;
  /**
   * The recorded body, a JSON object; with the decision's parameters it is the input of the operation. It is text, because copying a
   * value of many parts to another thread blocks both threads.
   */
  readonly bodyText: string | null;
  readonly unreadableBody: UnreadableBody | null;
  /** Fields of the body and the query that the record does not have; absent: none. */
  readonly unrecorded?: readonly string[];
  /** Whom the call is for; absent: the project itself. If the name has no pseudonym, the transaction gives it this one. */
  readonly subject?: Subject;
  /**
   * Whom the call is for instead, if neither its record nor the transaction names the subject: nothing is stored for it, and the call says
   * nothing about it, such as a list or a deletion. Never the project.
   */
  readonly unnamedSubject?: Subject;
  /** The conversation of the call, with the subject as its owner; absent: none. As `subject`. */
  readonly conversation?: Conversation;
  /**
   * The person whom the origin names, with the pseudonym with which the payload is encoded before the transaction; absent: nobody, or the
   * transaction finds the pseudonym.
   */
  readonly person?: Person;
  readonly decision: Decision;
}

/** What the first half decided: the operation is applied, or refused. */
export type Decision = Rejected | Accepted;

interface Prepared {
  /**
   * AuditReader.erasures before the preparation read anything that the record may contain; absent: it read no such thing. If the
   * transaction finds another text, the call is prepared again.
   */
  readonly erasures?: string | undefined;
  /**
   * SHA-256 of each model that computed vectors of the call; absent: none did. If the transaction finds another model, the call is
   * prepared again.
   */
  readonly models?: readonly string[] | undefined;
}

interface Rejected extends Prepared {
  readonly refused: Refused;
  /** Of the record of an exchange; absent: the transaction makes it. */
  readonly payload?: EncodedPayload;
}

export interface Accepted extends Prepared {
  readonly refused: null;
  /** Parameters of path and query, as they were received. */
  readonly parameters: JsonObject;
  readonly prepared: unknown;
  /** The outcome if `apply` confirms it; absent: the transaction determines the outcome. */
  readonly precomputed?: PrecomputedOutcome;
}

/** The outcome of a call that changes nothing, as its answer and its record have it. */
export interface PrecomputedOutcome {
  /** Null on its way between threads, because the thread that made it keeps it. */
  readonly answer: Answer | null;
  /** The memory that the audit entry names. */
  readonly memoryId: string | null;
  /** Of an exchange; absent: as of every success. */
  readonly entry?: PrecomputedEntry | undefined;
  /** Of the record. */
  readonly payload: EncodedPayload;
  readonly after: readonly AfterCommit[];
}

export function bodyOf({ bodyText }: Pick<Call, "bodyText">): JsonObject | null {
  const body: unknown = bodyText === null ? null : JSON.parse(bodyText);
  return isObject(body) ? body : null;
}
