// Owns the changes to the word index that a transaction has collected, and the order in which they are written. Pure.

export interface WordChange {
  readonly kind: "add" | "remove";
  readonly project: number;
  readonly contentRevision: number;
  /** The searched text of the memory; words are removed by the text that added them. */
  readonly text: string;
}

/** What the writer remembers about the index of words. */
export interface WordState {
  /** What the calls of the transaction have changed; written right before it commits. */
  readonly wordChanges: WordChange[];
  /** Segments of the index may be waiting to be merged. */
  wordMergeIsDue: boolean;
  /** Grows when words are removed. Those before the number of WordMerge.erase are not in the file any more. */
  wordRemovals: number;
}

/** Without what was added and removed in the same transaction. By row, because FTS5 closes a segment when rows go backwards. */
export function inWritingOrder(changes: readonly WordChange[]): WordChange[] {
  const key = ({ project, contentRevision }: WordChange) => `${project} ${contentRevision}`;
  const left = new Map<string, WordChange>();
  for (const change of changes) {
    const isUndone = change.kind === "remove" && left.get(key(change))?.kind === "add";
    if (isUndone) left.delete(key(change));
    else left.set(key(change), change);
  }
  return [...left.values()].sort((a, b) => a.project - b.project || a.contentRevision - b.contentRevision);
}
