// Owns passing an answer on to the client while it arrives, and how it ended. Must never send the end of an answer: it is held back until the
// record is committed.

import { AnswerBody } from "../../../gateway/answer/answer-body.ts";
import { AnswerStream } from "../../../gateway/answer/answer-stream.ts";
import type { AnswerAssembler } from "../../../gateway/answer/assembled.ts";
import { type ForwardedAnswer, UpstreamFault } from "../../../gateway/forwarding.ts";
import { chunksInTurn } from "../../../gateway/limits.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Exchange } from "../../contract/exchange.ts";

/** How the answer ended, as its record says. */
export type AnswerEnd = "complete" | "broken off by the upstream" | "broken off by the client" | "late";

export interface Relayed {
  readonly end: AnswerEnd;
  /** Whether events were read. */
  readonly isStream: boolean;
  /** Why it broke off; null: it did not. */
  readonly fault: UpstreamFault | null;
}

export interface RelayOptions {
  readonly answer: Pick<ForwardedAnswer, "headers" | "chunks" | "close">;
  readonly assembler: AnswerAssembler;
  /** Whether the report of usage that only the gateway has asked for is left out of a stream. */
  readonly removesUsageEvent: boolean;
  /** Gets each piece as the upstream has sent it. */
  readonly onChunk?: (chunk: Uint8Array) => void;
  /** As of Preparation. */
  within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined>;
}

/** `exchange.begin` was called. Never throws for what an upstream or a client does. */
export async function relay(
  exchange: Pick<Exchange, "write" | "hold" | "breakOff">,
  { answer, assembler, removesUsageEvent, onChunk, within }: RelayOptions,
): Promise<Relayed> {
  const reader = isEventStream(answer.headers)
    ? new AnswerStream({ assembler, removesUsageEvent })
    : new AnswerBody({ assembler });
  const isStream = reader instanceof AnswerStream;
  const isFinal = () => isStream && reader.isFinal;
  const chunks = answer.chunks[Symbol.asyncIterator]();
  const turn = createTurn();
  try {
    while (true) {
      const next = await nextOf(chunks, reader, within);
      // Undefined: a connection that stays open after the end of the answer.
      if (next === undefined || next.done === true) break;
      await turn();
      onChunk?.(next.value);
      for (const bytes of reader.push(next.value)) await exchange.write(bytes);
    }
    exchange.hold(reader.end());
    return { end: "complete", isStream, fault: null };
  } catch (error) {
    const rest = isFinal() ? null : reader.end();
    if (rest === null) {
      exchange.hold(reader.end());
      return { end: "complete", isStream, fault: null };
    }
    return { isStream, ...(await breakOff(exchange, error, rest)) };
  } finally {
    // Not `chunks.return()`, which would wait for the next chunk.
    answer.close();
  }
}

/**
 * To be called with each chunk. Waits for the next turn of the event loop when many have come in this one, because an upstream that always
 * has more would keep all other calls waiting. Not with each: a connection that breaks off takes what was not read with it.
 */
function createTurn(): () => Promise<void> {
  let taken = 0;
  return async () => {
    if (taken === 0)
      setImmediate(() => {
        taken = 0;
      });
    taken += 1;
    if (taken >= chunksInTurn) await new Promise((resolve) => setImmediate(resolve));
  };
}

/** Undefined: the answer is over, although its connection is not. */
async function nextOf(
  chunks: AsyncIterator<Uint8Array>,
  reader: AnswerStream | AnswerBody,
  within: RelayOptions["within"],
): Promise<IteratorResult<Uint8Array> | undefined> {
  const { silenceMaxMs } = reader;
  const next = chunks.next();
  if (silenceMaxMs === null) return next;
  const arrived = await within(silenceMaxMs, next);
  if (arrived !== undefined || !reader.isOver()) return arrived ?? next;
  // Closing the connection ends it with a fault.
  next.catch(() => {});
  return undefined;
}

/** The client gets all that the upstream has sent, and no end. */
async function breakOff(
  exchange: Pick<Exchange, "write" | "breakOff">,
  error: unknown,
  rest: readonly Uint8Array[],
): Promise<Omit<Relayed, "isStream">> {
  exchange.breakOff();
  if (isClientGone(error)) return { end: "broken off by the client", fault: new UpstreamFault("cancelled") };
  if (!(error instanceof UpstreamFault)) throw error;
  try {
    for (const bytes of rest) await exchange.write(bytes);
  } catch (gone) {
    if (!isClientGone(gone)) throw gone;
  }
  return { end: error.kind === "late" ? "late" : "broken off by the upstream", fault: error };
}

function isClientGone(error: unknown): boolean {
  if (error instanceof UpstreamFault) return error.kind === "cancelled";
  return error instanceof Refusal && error.code === 1499;
}

/** A compressed stream is passed on, but it cannot be read. */
function isEventStream(headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  const encoding = headers.get("content-encoding") ?? "identity";
  return /^\s*text\/event-stream\b/i.test(type) && encoding === "identity";
}
