// Owns what may pass between this machine and the language model's server: only the headers that are needed, only to the
// configured address, only so much of an answer. Must never follow a redirect or ask the environment for a proxy.

import { llmAnswerMaxBytes } from "../limits.ts";
import { ChatFailure } from "./chat-failure.ts";

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Reads the answer to its end, so that one abort signal covers all of it. @throws ChatFailure "redirect", "too large" */
export function createGuardedFetch(apiKey: string | null): Fetch {
  return async (url, { method, body, signal } = {}) => {
    const init: RequestInit = {
      method: method ?? "POST",
      body: body ?? null,
      signal: signal ?? null,
      headers: headersFor(apiKey),
      redirect: "manual",
    };
    // Beyond the types: no proxy even where HTTP_PROXY names one, no limit of time but ours, and nothing printed.
    Object.assign(init, { proxy: false, timeout: false, verbose: false });
    const response = await fetch(url, init);
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new ChatFailure("redirect", { status });
    }
    const kept = ["retry-after", "retry-after-ms", "date"].flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    // Whatever the server calls it: what is not JSON will not parse.
    const answer = {
      status,
      headers: [["content-type", "application/json"], ...kept],
    } satisfies ResponseInit;
    return new Response(await readBounded(response), answer);
  };
}

/** Nothing else that the client would send: it describes this machine, and the environment can add to it. */
function headersFor(apiKey: string | null): Record<string, string> {
  return {
    Accept: "application/json",
    "Content-Type": "application/json",
    "User-Agent": "memledger",
    ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
  };
}

async function readBounded({ body, status }: Response): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > llmAnswerMaxBytes) throw new ChatFailure("too large", { status });
    parts.push(part);
  }
  return new Blob(parts);
}
