// Owns requests to third parties over HTTP. Must never follow a redirect, use a proxy from the environment, or read an answer without a limit.

import { withoutProxy } from "../../platform/native/direct-fetch.ts";
import { answerMaxBytes, attestTimeoutMs } from "./limits.ts";

export interface PartyAnswer {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly mediaType: string;
  readonly body: Buffer;
}

/** @throws Error when there is no answer, or one that is too large */
export async function post(
  url: string,
  mediaType: string,
  body: string | Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<PartyAnswer> {
  const init: RequestInit = {
    method: "POST",
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(attestTimeoutMs)]),
    headers: { "Content-Type": mediaType, "User-Agent": "memledger" },
    redirect: "manual",
  };
  const response = await fetch(url, withoutProxy(init)).catch((cause: unknown) => {
    // Behind the first sentence the runtime asks whether the computer can access the URL.
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split(/[.?!](?: |$)/);
    throw new Error(`${url} cannot be reached: ${reason}. Check that it runs, and the network.`, { cause });
  });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > answerMaxBytes) throw new Error(`the answer of ${url} is too large`);
    parts.push(part);
  }
  const type = response.headers.get("content-type") ?? "";
  const [answered = ""] = type.split(";");
  return { status: response.status, mediaType: answered.trim().toLowerCase(), body: Buffer.concat(parts) };
}
