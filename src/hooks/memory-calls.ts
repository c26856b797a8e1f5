// Owns the two calls that hooks send to the server. Must never decide what a conversation gets.

import { successCode } from "../errors.ts";
import { isObject, type JsonObject, readJson } from "../json/json.ts";
import type { Channel } from "../local-access/channel.ts";
import { version } from "../version.ts";
import type { HookClientName, HookName } from "./client.ts";
import type { SpokenMessage } from "./transcripts/transcript.ts";

/** What the audit records say about the caller. */
export interface HookCaller {
  readonly client: HookClientName;
  readonly hook: HookName;
  /** In ASCII, because it becomes part of a header. */
  readonly sessionId: string;
}

/** The server has answered with another code than success. */
export class CallRefused extends Error {
  readonly code: number;
  readonly status: number;
  /** From Retry-After; null when the server did not send it. */
  readonly retryAfterMs: number | null;

  constructor(response: Response, answer: JsonObject) {
    super(
      typeof answer.message === "string" ? answer.message : `The server answered with ${response.status}.`,
    );
    this.code = typeof answer.code === "number" ? answer.code : 0;
    this.status = response.status;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  }
}

export interface MemoryCalls {
  /** @returns the prompt section. @throws CallRefused, and what the channel throws */
  inject(
    wanted: { readonly query?: string; readonly max_characters: number },
    signal: AbortSignal,
  ): Promise<string>;
  /** @throws CallRefused, and what the channel throws */
  extract(messages: readonly Pick<SpokenMessage, "role" | "content">[], signal: AbortSignal): Promise<void>;
}

export function createMemoryCalls(channel: Channel, { client, hook, sessionId }: HookCaller): MemoryCalls {
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `memledger-hook/${version} (${client})`,
    "X-Audit-Metadata": JSON.stringify({ client, hook, session_id: sessionId }),
  };
  const send = async (path: string, body: unknown, signal: AbortSignal): Promise<JsonObject> => {
    const request = { method: "POST", headers, body: JSON.stringify(body), signal };
    const response = await channel.fetch(path, request);
    const read = readJson(await response.text());
    const answer = isObject(read) ? read : {};
    if (answer.code !== successCode) throw new CallRefused(response, answer);
    return isObject(answer.data) ? answer.data : {};
  };
  return {
    async inject(wanted, signal) {
      const { prompt } = await send("/v1/memories/inject", wanted, signal);
      return typeof prompt === "string" ? prompt : "";
    },
    async extract(messages, signal) {
      await send("/v1/memories/extract", { messages }, signal);
    },
  };
}
