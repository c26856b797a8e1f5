// Owns which requests are identical, so that one answer serves both, and which answers may be repeated. Pure. Must never leave out anything that
// an upstream could answer differently to.

import type { Caller } from "../../../access/caller.ts";
import { ownerId } from "../../../memory/owner.ts";
import type { AnswerKey, CachedAnswer } from "../../storage/answer-cache.ts";

/** A request as it would be forwarded, after memory was put in. */
export interface IdenticalRequest {
  readonly caller: Caller;
  /** AuditReader.erasures before anything was read. */
  readonly erasures: string;
  /** The address at the upstream, with the query. */
  readonly url: string;
  /** Those that the upstream would get, with its key. */
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Headers that say who asks, or when: no upstream answers differently to them. All others count. */
const withoutMeaning =
  /^(?:user-agent|x-stainless-.*|traceparent|tracestate|baggage|b3|x-b3-.*|idempotency-key|x-request-id|x-client-request-id|x-correlation-id|cache-control|pragma|priority|dnt|sec-.*|accept-language)$/;

export function toAnswerKey({ caller, erasures, url, headers, body }: IdenticalRequest): AnswerKey {
  const { key, project, owner } = caller;
  const counted = [...headers].filter(([name]) => !withoutMeaning.test(name)).toSorted(byName);
  const digest = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([ownerId(owner), key.id, erasures, url, counted]))
    .update("\n")
    .update(body)
    .digest("hex");
  return { digest, project: project.id, keyId: key.id };
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** What is known when an exchange has ended. */
export interface EndedExchange {
  readonly isStream: boolean;
  readonly hasTools: boolean;
  readonly status: number;
  /** Whether the end was received, without an error in the middle. */
  readonly isComplete: boolean;
}

/** A stream with tools is never repeated: a client would perform the calls of tools again. */
export function mayBeRepeated({ isStream, hasTools, status, isComplete }: EndedExchange): boolean {
  return status === 200 && isComplete && !(isStream && hasTools);
}

const keptHeaders: ReadonlySet<string> = new Set(["content-type", "content-language", "openai-version"]);

/** Of the headers of an answer, those that describe it. Rate limits and ids of requests were true for the first request only. */
export function keepHeaders(headers: Headers): CachedAnswer["headers"] {
  return [...headers].filter(([name]) => keptHeaders.has(name));
}
