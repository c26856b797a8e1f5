// Owns insertions and deletions in a text by position. Knows no format.

/** Replaces the characters from `start` to `end` (exclusive). */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. Edits at the same position are applied in their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start);
  let [result, position] = ["", 0];
  for (const edit of ordered) {
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + text.slice(position);
}
