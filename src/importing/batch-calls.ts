// Owns the calls that store batches, until each item has a result: it waits when the server is busy or not reachable, asks again when an
// outcome is unknown, and divides a batch that is refused as a whole. Repeating a call is safe, because items that are stored are known.

import { isObject, type JsonObject } from "../json/json.ts";
import type { Channel } from "../local-access/channel.ts";
import { OutcomeUnknown, ServerUnreachable } from "../local-access/channel-failure.ts";
import { CallRefused, readAnswer } from "../received-answer.ts";
import { version } from "../version.ts";
import { giveUpAfterMs, retryMaxMs, retryMinMs } from "./limits.ts";

/** An item of a batch as JSON text. */
export interface BatchText {
  readonly text: string;
}

export type ItemResult =
  | { readonly status: "created" | "existing" }
  | { readonly status: "refused"; readonly code: number; readonly message: string };

/** The import cannot go on: the server refuses it, or cannot be reached. */
export class ImportStopped extends Error {}

export interface BatchCalls {
  /** The results in the order of the items. @throws ImportStopped */
  store(items: readonly BatchText[]): Promise<readonly ItemResult[]>;
}

interface BatchOptions {
  readonly channel: Channel;
  readonly format: string;
  /** Tells that the server is waited for, and why. */
  onWait?(reason: string): void;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly now?: () => number;
}

/** Codes that depend on one item, or on the size of the batch. */
const divisible: readonly number[] = [1400, 1413, 1500];
const busy: readonly number[] = [1429, 1503];

export function createBatchCalls({
  channel,
  format,
  onWait = () => {},
  sleep = Bun.sleep,
  now = () => performance.now(),
}: BatchOptions): BatchCalls {
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `memledger-import/${version}`,
    "X-Audit-Metadata": JSON.stringify({ import_format: format }),
  };
  let answeredAtMs = now();

  const send = async (items: readonly BatchText[]): Promise<JsonObject> => {
    const body = `{"memories":[${items.map(({ text }) => text).join(",")}]}`;
    const response = await channel.fetch("/v1/memories/batch", { method: "POST", headers, body });
    const data = await readAnswer(response).catch((error: unknown) => {
      if (error instanceof CallRefused) throw error;
      throw new OutcomeUnknown("The connection ended before the answer was complete.", { cause: error });
    });
    answeredAtMs = now();
    return data;
  };

  /** Repeats a call until it has an outcome. @throws CallRefused, ImportStopped */
  const sendUntilAnswered = async (items: readonly BatchText[]): Promise<JsonObject> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await send(items);
      } catch (error) {
        const retryAfterMs = waitingTimeOf(error, attempt);
        if (retryAfterMs === null) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        if (now() - answeredAtMs > giveUpAfterMs) throw new ImportStopped(reason, { cause: error });
        onWait(reason);
        await sleep(retryAfterMs);
      }
    }
  };

  const store = async (items: readonly BatchText[]): Promise<readonly ItemResult[]> => {
    let data: JsonObject;
    try {
      data = await sendUntilAnswered(items);
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error;
      const { code, message } = error;
      if (!divisible.includes(code)) throw new ImportStopped(message, { cause: error });
      if (items.length === 1) return [{ status: "refused", code, message }];
      const half = Math.ceil(items.length / 2);
      return [...(await store(items.slice(0, half))), ...(await store(items.slice(half)))];
    }
    const results = toResults(data, items.length);
    const again = items.filter((_, at) => isRetryable(results[at]));
    if (again.length === 0) return results;
    await sleep(retryMinMs);
    const later = [...(await store(again))];
    return results.map((result) => (isRetryable(result) ? (later.shift() ?? result) : result));
  };
  return { store };
}

/** Null: repeating the call is of no use. */
function waitingTimeOf(error: unknown, attempt: number): number | null {
  const growing = Math.min(retryMaxMs, retryMinMs * 2 ** attempt);
  if (error instanceof ServerUnreachable || error instanceof OutcomeUnknown) return growing;
  if (!(error instanceof CallRefused && busy.includes(error.code))) return null;
  return Math.max(error.retryAfterMs ?? 0, growing);
}

function isRetryable(result: ItemResult | undefined): boolean {
  return result?.status === "refused" && busy.includes(result.code);
}

/** @throws ImportStopped for the answer of another program or version */
function toResults({ results }: JsonObject, count: number): ItemResult[] {
  if (!Array.isArray(results) || results.length !== count) throw new ImportStopped(otherAnswer);
  return results.map((result) => {
    const { status, code, message } = isObject(result) ? result : {};
    if (status === "created" || status === "existing") return { status };
    if (status !== "refused") throw new ImportStopped(otherAnswer);
    return { status, code: Number(code), message: String(message) };
  });
}

const otherAnswer =
  "The answer of the server is not that of a batch. Check that the server is memledger, in the version of this program or a later one.";
