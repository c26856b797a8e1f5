// Owns what travels between the two halves of a call: the first half prepares it, the second settles it in a transaction.
// Everything here is plain data, because the halves run in different threads (and later on different machines).

import { isObject, type JsonObject } from "../json/json.ts";
import type { Refused } from "./answer.ts";

/** A body that does not go on the ledger as it is (not I-JSON, or too large for what it is worth): its size and digest are kept. */
export interface UnreadableBody {
  readonly length: number;
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string;
}

/** Where a call came from, as its audit record tells it. */
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** From the header X-Audit-Metadata. */
  readonly metadata: JsonObject | null;
}

export interface Call {
  readonly operation: string;
  /** Null: administration, or a stranger whose call is refused; both belong to the installation's chain. */
  readonly keyId: string | null;
  /** Id of the project that the call takes a turn of; left out: it is the server's own. */
  readonly project?: string;
  readonly origin: Origin;
  /** Clock.elapsed() at arrival. */
  readonly arrivedAt: number;
  /** The memory that the path names, whether there is one or not. */
  readonly memoryId: string | null;
  /** Other parameters of path and query, as the record keeps them; null: none. */
  readonly parameters: JsonObject | null;
  /**
   * The body that the record keeps, a JSON object; with the decision's parameters it is the input of the operation. It travels as text,
   * which is copied at once, while a value with many parts holds up both threads.
   */
  readonly bodyText: string | null;
  readonly unreadableBody: UnreadableBody | null;
  /** What the first half decided: go on with these, or be refused. */
  readonly decision:
    | { readonly refused: Refused }
    | {
        readonly refused: null;
        /** Parameters of path and query, as they were received. */
        readonly parameters: JsonObject;
        readonly prepared: unknown;
      };
}

export function bodyOf({ bodyText }: Call): JsonObject | null {
  const body: unknown = bodyText === null ? null : JSON.parse(bodyText);
  return isObject(body) ? body : null;
}
