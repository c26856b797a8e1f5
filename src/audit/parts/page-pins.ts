// Owns the end of a list that is read by page number: page 1 pins it, and later pages show the same list. Every call adds a record, so
// without a pin each page would begin with records of the previous page.

import { LRUCache } from "lru-cache";
import { pagePinMs, pagePinsMax } from "../../platform/limits.ts";
import type { Clock } from "../../platform/time/clock.ts";

/** The list as it was when page 1 was read. */
interface PagePin {
  /** Seq of its newest record. */
  readonly through: number;
  /** Number of matching records on all pages. */
  readonly total: number;
}

/** The name of a list contains the key, the filters and the page size. Pins are in memory: after a restart pages show the current list. */
export interface PagePins {
  /** Null: page 1 was not read, or too long ago. Waits for a page 1 that is being read. */
  find(list: string): Promise<PagePin | null>;
  /** Replaces the pin of the list. */
  set(list: string, pin: Promise<PagePin | null>): void;
}

export function createPagePins(clock: Clock): PagePins {
  const pins = new LRUCache<string, { readonly pin: Promise<PagePin | null>; readonly endsAt: number }>({
    max: pagePinsMax,
  });
  return {
    async find(list) {
      const known = pins.get(list);
      return known === undefined || clock.elapsed() >= known.endsAt ? null : known.pin;
    },
    set(list, pin) {
      const ends = pin.then((page) => page && { through: page.through, total: page.total }).catch(() => null);
      pins.set(list, { pin: ends, endsAt: clock.elapsed() + pagePinMs });
    },
  };
}
