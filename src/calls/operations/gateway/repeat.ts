// Owns repeating answers: an identical request of the same key is answered from the cache instead of the upstream, and what an upstream has
// answered is kept. Must never keep an answer whose record is not committed, or one that was made with what is erased now.

import type { ForwardedAnswer, ForwardedRequest } from "../../../gateway/forwarding.ts";
import { dayMs } from "../../../platform/time/clock.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { AnswerCache, AnswerKey, CachedAnswer } from "../../storage/answer-cache.ts";
import { type EndedExchange, keepHeaders, mayBeRepeated, toAnswerKey } from "./answer-key.ts";

/** The answer to one request, from the upstream or from the cache. Dispose of it when the answer has ended, however it has. */
export interface Answering extends Disposable {
  readonly answer: ForwardedAnswer;
  /** Id of the record of the answer that is repeated; null: the upstream answers. */
  readonly repeats: string | null;
  /** To be called with each piece of the answer. */
  keep(chunk: Uint8Array): void;
  /** To be called when the answer has ended. */
  ended(exchange: EndedExchange): void;
}

/** @param conversation whether its answer may be repeated at all */
export type Ask = (
  request: ForwardedRequest,
  conversation: Pick<EndedExchange, "isStream" | "hasTools">,
) => Promise<Answering>;

/** To be called before anything is read for the request. */
export async function openAnswers(preparation: Preparation, exchange: Exchange): Promise<Ask> {
  const { forward, store } = preparation;
  const directives = directivesIn(exchange.headers);
  const cache = directives.has("no-store") ? null : store.answers;
  const generation = cache?.generation ?? 0;
  const { caller } = preparation;
  const erasures = cache === null ? "" : await store.audit.erasures(caller.project.id);
  return async (request, { isStream, hasTools }) => {
    if (cache === null || (isStream && hasTools)) return notKept(await forward(request), null);
    const { url, headers, body } = request;
    const key = toAnswerKey({ caller, erasures, url, headers, body: body ?? new Uint8Array() });
    const found = directives.has("no-cache") ? null : await cache.find(key);
    if (found === null) {
      const place = { cache, key, generation };
      return keeping(place, preparation, exchange, await forward(request));
    }
    request.onSent?.();
    return notKept(toAnswer(found), found.record);
  };
}

/** Directives of Cache-Control (RFC 9111): no-cache asks the upstream again, no-store also keeps no answer. */
function directivesIn(headers: Headers): ReadonlySet<string> {
  return new Set((headers.get("cache-control") ?? "").toLowerCase().split(/[\s,]+/));
}

function notKept(answer: ForwardedAnswer, repeats: string | null): Answering {
  return { answer, repeats, keep() {}, ended() {}, [Symbol.dispose]() {} };
}

interface Place {
  readonly cache: AnswerCache;
  readonly key: AnswerKey;
  readonly generation: number;
}

function keeping(
  { cache, key, generation }: Place,
  { plan }: Preparation,
  exchange: Exchange,
  answer: ForwardedAnswer,
): Answering {
  const collector = cache.collect();
  const maxAgeMs = plan.retentionDays === null ? null : plan.retentionDays * dayMs;
  return {
    answer,
    repeats: null,
    keep: (chunk) => collector.add(chunk),
    ended(ended) {
      const body = mayBeRepeated(ended) ? collector.whole() : null;
      if (body === null) return;
      const headers = keepHeaders(answer.headers);
      const kept = { status: ended.status, headers, body, record: exchange.recordId };
      exchange.afterRecord(() => cache.put(key, kept, { generation, maxAgeMs }));
    },
    [Symbol.dispose]: () => collector[Symbol.dispose](),
  };
}

function toAnswer({ status, headers, body }: CachedAnswer): ForwardedAnswer {
  async function* chunks() {
    yield body;
  }
  return { status, headers: new Headers(headers.map(([...pair]) => pair)), chunks: chunks(), close() {} };
}
