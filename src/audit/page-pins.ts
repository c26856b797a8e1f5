// Owns where a list ends whose pages are asked for by number: page 1 pins it, and the pages after it show the same list. Every call
// leaves a record, so without this each page would begin with records that the page before has shown.

import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { pagePinMs, pagePinsMax } from "../limits.ts";

/** The list as page 1 found it. */
export interface PagePin {
  /** Seq of its newest record. */
  readonly through: number;
  /** Records that matched, on all pages. */
  readonly total: number;
}

/** Lists are named by whoever asks for them and by what they hold. Kept in memory: after a restart the pages follow the live list. */
export interface PagePins {
  /** Null: page 1 was not asked for, or too long ago. Waits for a page 1 that is being read. */
  find(list: string): Promise<PagePin | null>;
  /** Replaces what is known about the list. */
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
      const kept = pin.then((page) => page && { through: page.through, total: page.total }).catch(() => null);
      pins.set(list, { pin: kept, endsAt: clock.elapsed() + pagePinMs });
    },
  };
}
