// Owns the rows of a table that are loaded page by page with cursors. Only pages near the visible rows stay in memory: those far away are
// dropped and loaded again when they are needed, from the cursor with which they began. Must never show anything.

import { type ReadonlySignal, signal } from "@preact/signals";

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; null: this is the last one. */
  readonly next: string | null;
  /** How many rows there are in all; null: unknown. */
  readonly total: number | null;
}

/** Loads the page that begins at the cursor; null: the first one. */
export type LoadPage<Row> = (cursor: string | null, signal: AbortSignal) => Promise<Page<Row>>;

export interface Rows<Row> {
  /** Changes whenever something else here has changed. */
  readonly version: ReadonlySignal<number>;
  /** How many rows are known: all up to the farthest page that was loaded. */
  readonly known: () => number;
  /** Whether there are no rows after the known ones. */
  readonly isComplete: () => boolean;
  readonly total: () => number | null;
  /** Why the last load has failed; null: it has not. */
  readonly failure: () => unknown;
  readonly isLoading: () => boolean;
  /** Undefined while the row is not in memory. */
  readonly at: (index: number) => Row | undefined;
  /** Loads the rows from `first` to `last`, and drops pages far from them. */
  readonly need: (first: number, last: number) => void;
  /** All rows from `first` to `last`, also those that are not in memory. @throws what `load` throws */
  readonly collect: (first: number, last: number) => Promise<Row[]>;
  /** Replaces a row that is in memory. */
  readonly replace: (isMatch: (row: Row) => boolean, row: Row) => void;
  /** After a failure: the next `need` loads again. */
  readonly retry: () => void;
  /** Loads the pages again when they are needed, from the cursors with which they began: what is shown stays until then, and its place, too. */
  readonly reload: () => void;
  /** Ends all loads. */
  readonly close: () => void;
}

/** Pages on either side of those that are visible. */
const pagesAround = 4;

interface Slot<Row> {
  readonly cursor: string | null;
  /** Index of its first row. */
  readonly start: number;
  /** Number of its rows, also when they are not in memory; null: it was never loaded. */
  size: number | null;
  rows: readonly Row[] | null;
  /** Whether the rows may have changed since they were loaded. */
  isStale: boolean;
  loading: Promise<void> | null;
}

export function createRows<Row>(load: LoadPage<Row>): Rows<Row> {
  const version = signal(0);
  const changed = () => {
    version.value += 1;
  };
  let stopped = new AbortController();
  let slots: Slot<Row>[] = [emptySlot<Row>(null, 0)];
  let total: number | null = null;
  let failure: unknown = null;
  /** Whether the first page is among those that were needed last. */
  let isAtStart = true;

  const slotOf = (index: number) => slots.findLast(({ start }) => start <= index);
  const loadSlot = (slot: Slot<Row>): Promise<void> => {
    const { signal } = stopped;
    slot.loading ??= load(slot.cursor, signal)
      .then(({ rows, next, total: counted }) => {
        if (signal.aborted) return;
        if (slot === slots[0] && counted !== null) total = counted;
        failure = null;
        Object.assign(slot, { rows, size: rows.length, isStale: false });
        follow(slot, next);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) failure = error;
      })
      .finally(() => {
        if (signal.aborted) return;
        slot.loading = null;
        changed();
      });
    return slot.loading;
  };
  /** What comes after a page that was loaded. Rows that were created or deleted move the beginnings of the pages behind them. */
  const follow = (slot: Slot<Row>, next: string | null) => {
    const at = slots.indexOf(slot) + 1;
    if (at === 0) return;
    const start = slot.start + (slot.size ?? 0);
    const { [at]: following } = slots;
    if (next === null) slots.length = at;
    else if (following?.start !== start) slots.splice(at, slots.length, emptySlot<Row>(next, start));
    else if (following.cursor !== next)
      slots[at] = { ...following, cursor: next, isStale: true, loading: null };
  };
  /** Only the first page says how many rows there are, and the reader may be far from it. */
  const count = async () => {
    const { signal } = stopped;
    const first = await load(null, signal).catch(() => null);
    if (signal.aborted || first === null) return;
    total = first.total;
    changed();
  };
  const known = () => {
    const last = slots.at(-1);
    return last === undefined ? 0 : last.start + (last.size ?? 0);
  };

  return {
    version,
    known,
    isComplete: () => slots.at(-1)?.size !== null,
    total: () => total,
    failure: () => failure,
    isLoading: () => slots.some(({ loading }) => loading !== null),
    at(index) {
      const slot = slotOf(index);
      return slot?.rows?.[index - slot.start];
    },
    need(first, last) {
      const from = slots.findLastIndex(({ start }) => start <= first);
      const to = slots.findLastIndex(({ start }) => start <= last);
      isAtStart = from <= 0;
      for (const [index, slot] of slots.entries()) {
        if (index < from - pagesAround || index > to + pagesAround) slot.rows = null;
        else if (index >= from && index <= to && (slot.rows === null || slot.isStale) && failure === null)
          void loadSlot(slot);
      }
    },
    async collect(first, last) {
      const found: Row[] = [];
      for (let index = first; index <= last; index++) {
        const slot = slotOf(index);
        if (slot === undefined) break;
        if (slot.rows === null || slot.isStale) await loadSlot(slot);
        if (slot.rows === null) throw failure;
        const row = slot.rows[index - slot.start];
        if (row === undefined) break;
        found.push(row);
      }
      return found;
    },
    replace(isMatch, row) {
      for (const slot of slots) {
        if (slot.rows?.some(isMatch)) slot.rows = slot.rows.map((each) => (isMatch(each) ? row : each));
      }
      changed();
    },
    retry() {
      failure = null;
      changed();
    },
    reload() {
      stopped.abort();
      stopped = new AbortController();
      slots = slots.map((slot) => ({ ...slot, isStale: true, loading: null }));
      failure = null;
      changed();
      if (!isAtStart) void count();
    },
    close: () => stopped.abort(),
  };
}

function emptySlot<Row>(cursor: string | null, start: number): Slot<Row> {
  return { cursor, start, size: null, rows: null, isStale: false, loading: null };
}
