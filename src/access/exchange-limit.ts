// Owns how many exchanges run at once: of one key, and in all. Each holds a connection here and one to an upstream.

import { Refusal } from "../platform/errors.ts";
import type { Key } from "./key.ts";

interface ExchangeLimits {
  readonly max: number;
  readonly maxPerKey: number;
}

export interface ExchangeLimit {
  /** Counts an exchange until it is disposed of. @throws Refusal 1429 */
  enter(key: Pick<Key, "id">): Disposable;
  /** Resolves when no exchange runs. */
  whenIdle(): Promise<void>;
}

/** Exchanges end at any time, so a client may try soon. */
const retryAfterSeconds = 1;

export function createExchangeLimit({ max, maxPerKey }: ExchangeLimits): ExchangeLimit {
  const byKey = new Map<string, number>();
  let inAll = 0;
  let idle = Promise.withResolvers<void>();
  const add = (id: string, change: 1 | -1) => {
    inAll += change;
    const ofKey = (byKey.get(id) ?? 0) + change;
    if (ofKey === 0) byKey.delete(id);
    else byKey.set(id, ofKey);
    if (inAll === 0) {
      idle.resolve();
      idle = Promise.withResolvers();
    }
  };
  const enter = ({ id }: Pick<Key, "id">): Disposable => {
    if ((byKey.get(id) ?? 0) >= maxPerKey)
      throw tooMany(`The API key has ${maxPerKey} requests to language models at once.`, maxPerKey);
    if (inAll >= max) throw tooMany(`The server has ${max} requests to language models at once.`, max);
    add(id, 1);
    let isOver = false;
    return {
      [Symbol.dispose]() {
        if (!isOver) add(id, -1);
        isOver = true;
      },
    };
  };
  return { enter, whenIdle: async () => (inAll === 0 ? undefined : idle.promise) };
}

function tooMany(fact: string, limit: number): Refusal {
  return new Refusal(1429, `${fact} Retry when one of them has ended.`, { limit }, retryAfterSeconds);
}
