// Owns the fetch function for the language model's server: it sends only the required headers, only to the configured address, and limits
// the size of responses. Must never follow a redirect or use a proxy from the environment.

import { withoutProxy } from "../../platform/native/direct-fetch.ts";
import { ChatFailure } from "./chat-failure.ts";
import { llmAnswerMaxBytes } from "./limits.ts";

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Reads the whole response, so that the abort signal also covers its body. @throws ChatFailure "redirect", "too large" */
export function createRestrictedFetch(apiKey: string | null): Fetch {
  return async (url, { method, body, signal } = {}) => {
    const init: RequestInit = {
      method: method ?? "POST",
      body: body ?? null,
      signal: signal ?? null,
      headers: headersFor(apiKey),
      redirect: "manual",
    };
    const response = await fetch(url, withoutProxy(init));
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new ChatFailure("redirect", { status });
    }
    const headersToKeep = ["retry-after", "retry-after-ms", "date"].flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    // The content type of the server is ignored: a body that is not JSON fails to parse.
    const answer = {
      status,
      headers: [["content-type", "application/json"], ...headersToKeep],
    } satisfies ResponseInit;
    return new Response(await readBounded(response), answer);
  };
}

/** Without the other headers of the client library: they describe this machine, and the environment can add to them. */
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
