// Owns the two calls that hooks send to the server. Must never decide what a conversation gets.

import type { JsonObject } from "../../platform/json/json.ts";
import { readAnswer } from "../../platform/received-answer.ts";
import { version } from "../../platform/version.ts";
import type { Channel } from "../local-access/channel.ts";
import type { HookClientName, HookName } from "./client.ts";
import type { ChunkMessage } from "./message-chunks.ts";

/** What the audit records say about the caller. */
export interface HookCaller {
  readonly client: HookClientName;
  readonly hook: HookName;
  /** In ASCII, because it becomes part of a header. */
  readonly sessionId: string;
}

export interface MemoryCalls {
  /** @returns the prompt section. @throws CallRefused, and what the channel throws */
  inject(
    wanted: { readonly query?: string; readonly max_characters: number },
    signal: AbortSignal,
  ): Promise<string>;
  /** @throws CallRefused, and what the channel throws */
  extract(messages: readonly ChunkMessage[], detail: string, signal: AbortSignal): Promise<void>;
}

export function createMemoryCalls(channel: Channel, { client, hook, sessionId }: HookCaller): MemoryCalls {
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `memledger-hook/${version} (${client})`,
    "X-Audit-Metadata": JSON.stringify({ client, hook, session_id: sessionId }),
  };
  const send = async (path: string, body: unknown, signal: AbortSignal): Promise<JsonObject> => {
    const request = { method: "POST", headers, body: JSON.stringify(body), signal };
    return readAnswer(await channel.fetch(path, request));
  };
  return {
    async inject(wanted, signal) {
      const { prompt } = await send("/v1/memories/inject", { ...wanted, conversation: sessionId }, signal);
      return typeof prompt === "string" ? prompt : "";
    },
    async extract(messages, detail, signal) {
      await send("/v1/memories/extract", { messages, conversation: sessionId, detail }, signal);
    },
  };
}
