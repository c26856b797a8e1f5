// Owns calls that are repeated until they are answered: while the server is busy or cannot be reached, and when the outcome is unknown. Must
// only be used for calls whose repetition changes nothing more.

import type { JsonObject } from "../../platform/json/json.ts";
import { CallRefused, readAnswer } from "../../platform/received-answer.ts";
import type { Channel, ChannelRequest } from "./channel.ts";
import { AddressUnusable, OutcomeUnknown, ServerUnreachable } from "./channel-failure.ts";

/** Waiting times between attempts, and how long attempts go on without an answer to any call. */
const waitMinMs = 500;
const waitMaxMs = 10_000;
export const giveUpAfterMs = 300_000;

const busyCodes: readonly number[] = [1429, 1503];

export function isBusy(code: number): boolean {
  return busyCodes.includes(code);
}

interface RepeatOptions {
  readonly channel: Channel;
  /** Tells that the server is waited for, and why; each reason once until an answer comes. */
  onWait?(reason: string): void;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly now?: () => number;
}

/** @returns the data of the answer. @throws CallRefused, and what the channel throws */
export type RepeatedCall = (path: string, request: ChannelRequest) => Promise<JsonObject>;

export function createRepeatedCall({
  channel,
  onWait = () => {},
  sleep = Bun.sleep,
  now = () => performance.now(),
}: RepeatOptions): RepeatedCall {
  let answeredAtMs = now();
  let toldReason: string | null = null;
  const send: RepeatedCall = async (path, request) => {
    const response = await channel.fetch(path, request);
    const data = await readAnswer(response).catch((error: unknown) => {
      if (error instanceof CallRefused) throw error;
      throw new OutcomeUnknown("The connection ended before the answer was complete.", { cause: error });
    });
    answeredAtMs = now();
    toldReason = null;
    return data;
  };
  return async (path, request) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await send(path, request);
      } catch (error) {
        const waitMs = waitingTimeOf(error, attempt);
        if (waitMs === null || now() - answeredAtMs > giveUpAfterMs) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== toldReason) onWait(reason);
        toldReason = reason;
        await sleep(waitMs);
      }
    }
  };
}

/** What a command prints for `onWait`. */
export function waitingNotice(reason: string): string {
  return `Waiting for the server, for at most ${giveUpAfterMs / 60_000} minutes: ${reason}`;
}

/** Null: repeating the call is of no use. */
function waitingTimeOf(error: unknown, attempt: number): number | null {
  const growing = Math.min(waitMaxMs, waitMinMs * 2 ** attempt);
  if (error instanceof AddressUnusable) return null;
  if (error instanceof ServerUnreachable || error instanceof OutcomeUnknown) return growing;
  if (!(error instanceof CallRefused && isBusy(error.code))) return null;
  return Math.max(error.retryAfterMs ?? 0, growing);
}
