// Owns reading which slots of an index a query can return, without pauses, in an index of memories without metadata.

import type {
  EligibleQuery,
  IndexedRows,
} from "../../../../../src/engines/sqlite/search/index/indexed-rows.ts";

export function eligibleIn(rows: IndexedRows, query: EligibleQuery): Uint32Array {
  const reading = rows.eligible(query, () => []);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}
