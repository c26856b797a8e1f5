// Owns how many records others have added since the list was loaded. The calls of this view append records, too, which are not counted.

import { useRef, useState } from "preact/hooks";
import { useEvent } from "../../api/events.ts";

export interface NewRecords {
  readonly count: number;
  /** Before each call of the view. */
  readonly expectOne: () => void;
  /** Before the call for the first page of a list. */
  readonly begin: () => void;
  /** After that call. @param newest number of the newest record before the call; null: unknown, because the list ends at a time */
  readonly end: (newest: number | null) => void;
}

export function useNewRecords(): NewRecords {
  const [newest, setNewest] = useState(0);
  const known = useRef({
    newest: 0,
    /** The number of the newest record, if nobody else appends one. Null: no list was loaded. */
    expected: null as number | null,
    /** Calls of this view since it asked for the first page. */
    own: 0,
  }).current;
  useEvent("records", (data) => {
    const sequence = sequenceOf(data);
    // The first event of a list that ends at a time.
    if (known.expected === 0) known.expected = sequence;
    known.newest = sequence;
    setNewest(sequence);
  });
  return {
    count: known.expected === null || known.expected === 0 ? 0 : Math.max(newest - known.expected, 0),
    expectOne() {
      known.own += 1;
      if (known.expected !== null && known.expected > 0) known.expected += 1;
    },
    begin() {
      known.own = 0;
    },
    end(first) {
      if (first !== null) known.expected = first + known.own;
      else if (known.newest > 0) known.expected = Math.max(known.expected ?? 0, known.newest + known.own);
      else known.expected = 0;
      setNewest(known.newest);
    },
  };
}

function sequenceOf(data: unknown): number {
  const sequence: unknown =
    typeof data === "object" && data !== null ? Reflect.get(data, "newest_sequence") : null;
  return typeof sequence === "number" ? sequence : 0;
}
