// Owns that the body of an exchange is read once: for the subject that it names before the call is prepared, and for what is passed on.

import type { ReadableName, ReadRequest } from "../../../gateway/body-steps.ts";
import { toUpstreamRefusal } from "../../../gateway/upstream-refusals.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { SubjectReading } from "../../contract/operation.ts";

const reads = new WeakMap<Exchange, Promise<ReadRequest>>();

/** @throws Refusal 1400, 1415, 1429, 1499 or 1503 */
export function readRequest(
  dialect: ReadableName,
  { bodies, caller, signal }: Pick<SubjectReading, "bodies" | "caller" | "signal">,
  exchange: Exchange,
): Promise<ReadRequest> {
  const waiter = { project: caller.project.id, signal };
  const read =
    reads.get(exchange) ??
    bodies.read(dialect, exchange.body, waiter).catch((error: unknown) => {
      throw toUpstreamRefusal(error, "");
    });
  reads.set(exchange, read);
  return read;
}
