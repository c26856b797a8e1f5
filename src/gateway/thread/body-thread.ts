// Owns where the steps of bodies run: small ones at once, large ones in a thread of their own, one at a time, with turns between projects.
// Must never lose a record: if the thread fails, the record is encoded here.

import type { EncodedPayload } from "../../audit/parts/parts.ts";
import { Refusal, unavailable } from "../../platform/errors.ts";
import { unlessCancelled } from "../../platform/scheduling/cancellation.ts";
import { createFairGate } from "../../platform/scheduling/fair-gate.ts";
import type { Waiter } from "../../platform/scheduling/fair-queue.ts";
import type { Supervisor } from "../../platform/threads/supervisor.ts";
import type { WorkerThread } from "../../platform/threads/worker-thread.ts";
import type { AssembledAnswer } from "../answer/assembled.ts";
import { type Bodies, bodiesHere } from "../bodies.ts";
import { type BodySteps, bodySteps } from "../body-steps.ts";
import { UpstreamFault } from "../forwarding.ts";
import { bodyQueueLimits, smallBodyMaxBytes } from "../limits.ts";

/** A step with its arguments. */
export type BodyRequest = {
  [Step in keyof BodySteps]: readonly [Step, ...Parameters<BodySteps[Step]>];
}[keyof BodySteps];

/** What the thread answers: a refusal travels with its details. */
export type BodyReply<Value> =
  | { readonly value: Value }
  | { readonly refused: Pick<Refusal, "code" | "message" | "data" | "details"> };

export interface BodyThread extends Bodies {
  close(): Promise<void>;
}

/** Costs nothing until the first large body arrives. */
export function createBodyThread(supervisor: Supervisor): BodyThread {
  let thread: WorkerThread | null = null;
  let isClosed = false;
  const gate = createFairGate({ concurrency: 1, limits: bodyQueueLimits });

  const send = async <Value>(request: BodyRequest): Promise<Value> => {
    if (isClosed)
      throw unavailable("The server is shutting down. Send the request again when it has started again.");
    thread ??= supervisor.start("bodies", null);
    const reply = await thread.request<BodyReply<Value>>(request);
    if ("value" in reply) return reply.value;
    const { code, message, data, details } = reply.refused;
    throw new Refusal(code, message, data, undefined, details);
  };
  const inTurn = async <Value>({ project, signal }: Waiter, request: BodyRequest): Promise<Value> => {
    try {
      const waiter = { project, signal };
      return await unlessCancelled(
        gate(waiter, () => send<Value>(request)),
        signal,
      );
    } catch (error) {
      throw signal.aborted ? new UpstreamFault("cancelled") : error;
    }
  };
  const isSmall = ({ length }: { readonly length: number }) => length < smallBodyMaxBytes;

  return {
    read: (dialect, bytes, waiter) =>
      isSmall(bytes) ? bodiesHere.read(dialect, bytes, waiter) : inTurn(waiter, ["read", dialect, bytes]),
    change: (dialect, bytes, changes, waiter) =>
      isSmall(bytes)
        ? bodiesHere.change(dialect, bytes, changes, waiter)
        : inTurn(waiter, ["change", dialect, bytes, changes]),
    readOther: (bytes, type, waiter) =>
      isSmall(bytes) ? bodiesHere.readOther(bytes, type, waiter) : inTurn(waiter, ["readOther", bytes, type]),
    readEmbeddings: (bytes, waiter) =>
      isSmall(bytes) ? bodiesHere.readEmbeddings(bytes, waiter) : inTurn(waiter, ["readEmbeddings", bytes]),
    readAnswer: (assembler, choices, text) =>
      isSmall(text)
        ? bodiesHere.readAnswer(assembler, choices, text)
        : // Without the thread nothing is read of it. It was passed on all the same.
          send<AssembledAnswer>(["readAnswer", assembler, choices, text]).catch(() =>
            bodySteps.readAnswer(assembler, choices, ""),
          ),
    readWords: (action, payload, waiter) =>
      isSmall(payload)
        ? bodiesHere.readWords(action, payload, waiter)
        : inTurn(waiter, ["readWords", action, payload]),
    encode(payload, kept, about, person) {
      const text = JSON.stringify(payload);
      if (isSmall(text) && !(kept instanceof Uint8Array)) return bodySteps.encode(text, kept, about, person);
      return send<EncodedPayload>(["encode", text, kept, about, person]).catch(() =>
        bodySteps.encode(text, kept, about, person),
      );
    },
    async close() {
      isClosed = true;
      await thread?.close();
    },
  };
}
