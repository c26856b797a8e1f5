// Holds the tables of the test engine in memory, with a journal from which changes can be undone. Rows are never changed, only replaced.

/** A position in the journal. */
export type Mark = number;

export interface Journal {
  record(undo: () => void): void;
  mark(): Mark;
  /** Undoes every change after the mark, the newest first. */
  undoTo(mark: Mark): void;
}

export function createJournal(): Journal {
  const undos: (() => void)[] = [];
  return {
    record: (undo) => void undos.push(undo),
    mark: () => undos.length,
    undoTo(mark) {
      while (undos.length > mark) undos.pop()?.();
    },
  };
}

export class Table<Key, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  /** In the order in which their keys were first set. */
  all(): Row[] {
    return [...this.#rows.values()];
  }

  set(key: Key, row: Row): void {
    const before = this.#rows.get(key);
    this.#journal.record(() => {
      if (before === undefined) this.#rows.delete(key);
      else this.#rows.set(key, before);
    });
    this.#rows.set(key, row);
  }

  /** For rows that nothing is ordered by: undone, the row is the last one. */
  delete(key: Key): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#journal.record(() => void this.#rows.set(key, before));
    this.#rows.delete(key);
  }
}
