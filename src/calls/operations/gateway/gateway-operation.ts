// Owns what the operations of the gateway have in common: permission, plan, effects, and that they are exchanges.

import { exchangeBodyMaxBytes } from "../../../access/limits.ts";
import type { NewTask } from "../../../memory/remembering/task.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { type Applied, confirmed } from "../../contract/applied.ts";
import type { Exchange, PrecomputedEntry } from "../../contract/exchange.ts";
import { type Preparation, type ProjectOperation, projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { withoutErased } from "./exchange-record.ts";

/** What has happened, as the record says it. */
export interface Exchanged {
  readonly entry: PrecomputedEntry;
  readonly details: JsonObject;
  /** The answer is put in the queue of what is remembered; null: it is not. */
  readonly remembers: NewTask | null;
}

interface Described<Result>
  extends Pick<ProjectOperation, "name" | "summary" | "description" | "readSubject"> {
  /** Null: the request has none. */
  readonly exampleBody: JsonObject | null;
  /** Absent: a body must be JSON. */
  readonly acceptsAnyType?: boolean;
  /** Happens once, also when the call is prepared again. @throws Refusal when nothing was sent to the client */
  exchange(preparation: Preparation, exchange: Exchange): Promise<Result>;
  /** Happens again when the call is prepared again. */
  record(result: Result, preparation: Preparation, exchange: Exchange): Exchanged | Promise<Exchanged>;
}

export function gatewayOperation<Result>({
  exampleBody,
  acceptsAnyType = false,
  exchange: perform,
  record,
  ...described
}: Described<Result>): ProjectOperation {
  return projectOperation({
    ...described,
    // An upstream is asked again if a request is repeated, and an answer costs tokens.
    effects: { readOnly: false, destructive: false, idempotent: false },
    permission: "gateway.use",
    forSubjects: true,
    forConversations: true,
    passages: "reads",
    feature: "gateway",
    mayRunLong: true,
    input: Fields({}),
    output: null,
    example: { input: {}, data: null },
    exchange: { maxBodyBytes: exchangeBodyMaxBytes, exampleBody, acceptsAnyType },
    refusals: [1402, 1404, 1499, 1502, 1504],
    async prepare(_input, preparation) {
      const { exchange } = preparation;
      if (exchange === null) throw new Error(`${described.name} is an exchange, and was performed as none`);
      const result = await exchange
        .once(() => perform(preparation, exchange))
        .catch((error: unknown) => {
          throw exchange.isErasedMeanwhile ? withoutErasedDetails(error) : error;
        });
      const { entry, details, remembers } = await record(result, preparation, exchange);
      const after = remembers === null ? [] : ([{ effect: "remember_answer" }] as const);
      return { precomputed: { data: null, details, after }, entry, prepared: remembers };
    },
    apply: putInQueue,
  });
}

function withoutErasedDetails(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { code, message, data, retryAfterSeconds, details } = error;
  return new Refusal(code, message, data, retryAfterSeconds, withoutErased(details ?? {}));
}

async function putInQueue(
  transaction: Transaction,
  _input: object,
  remembers: NewTask | null,
): Promise<Applied<null>> {
  if (remembers !== null) await transaction.remembering.add(remembers);
  return confirmed;
}
