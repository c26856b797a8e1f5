// Owns the message about an unknown name: it suggests a similar known name, or lists the known names.

/** Longer names are not compared: they are not typing errors, and comparing them takes time. */
const maxCharacters = 64;
const maxEdits = 3;
/** Clients may send any number of names; only this many are compared. */
const maxKnown = 100;

/** Completes a sentence such as `Field "Content" ...`; `kind` is the plural noun for the names, such as "fields". */
export function unknownReason(name: string, known: readonly string[], kind: string): string {
  const near = suggest(name, known);
  if (near !== null) return `is unknown; did you mean "${near}"?`;
  return known.length === 0
    ? "is unknown; this operation takes none"
    : `is unknown; known ${kind} are ${known.join(", ")}`;
}

/**
 * The most similar known name, or null. Similar is: the same letters in another case or with other separators, a few edits away, or a
 * word of exactly one known name (`type` for `memory_type`).
 */
export function suggest(name: string, known: readonly string[]): string | null {
  if (name.length > maxCharacters) return null;
  const folded = fold(name);
  const ranked = known
    .slice(0, maxKnown)
    .filter(({ length }) => Math.abs(length - name.length) <= maxCharacters / 2)
    .map((other) => ({ other, edits: editsBetween(folded, fold(other)) }))
    .filter(
      ({ other, edits }) => edits <= Math.min(maxEdits, 0.4 * Math.max(folded.length, fold(other).length)),
    )
    .sort((a, b) => a.edits - b.edits);
  const [nearest] = ranked;
  if (nearest !== undefined) return nearest.other;
  const containing = known.slice(0, maxKnown).filter((other) => wordsOf(other).includes(folded));
  return containing.length === 1 ? (containing[0] ?? null) : null;
}

function fold(name: string): string {
  return wordsOf(name).join("");
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[-_.\s]+/);
}

/**
 * The number of letters to insert, remove, replace or swap with the next one (optimal string alignment distance). The widely used
 * packages for edit distances count a swap, the most common typing error, as two edits.
 */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

/** Cells before the first row or column do not exist. */
function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
