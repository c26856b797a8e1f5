// Finds the words that differ between two texts: the shortest list of removed and added words (E. Myers, An O(ND) Difference Algorithm,
// 1986). Pure.

export interface Piece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Texts that differ in more words than this are shown as replaced: the list would help nobody, and its search is quadratic. */
const changesMax = 1_000;

/** Pieces in order. Without the added ones they are `before`, without the removed ones `after`. */
export function differenceOf(before: string, after: string): Piece[] {
  const [left, right] = [words(before), words(after)];
  const trace = search(left, right);
  const pieces: Piece[] =
    trace === null
      ? [
          { kind: "removed", text: before },
          { kind: "added", text: after },
        ]
      : walkBack(trace, left, right);
  return joined(pieces.filter(({ text }) => text !== ""));
}

/** Words and what is between them. */
function words(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+|\s+|[^\p{L}\p{M}\p{N}\s]/gu) ?? [];
}

/** For each number of changes, the farthest position in `left` on each diagonal before that change; null: too many changes. */
function search(left: readonly string[], right: readonly string[]): ReadonlyMap<number, number>[] | null {
  const trace: ReadonlyMap<number, number>[] = [];
  const farthest = new Map([[1, 0]]);
  for (let changes = 0; changes <= changesMax; changes++) {
    trace.push(new Map(farthest));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(farthest, diagonal, changes)
        ? at(farthest, diagonal + 1)
        : at(farthest, diagonal - 1) + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      farthest.set(diagonal, x);
      if (x >= left.length && x - diagonal >= right.length) return trace;
    }
  }
  return null;
}

/** Whether the path to the diagonal comes from an added word. */
function isDown(farthest: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  return (
    diagonal === -changes || (diagonal !== changes && at(farthest, diagonal - 1) < at(farthest, diagonal + 1))
  );
}

function at(farthest: ReadonlyMap<number, number>, diagonal: number): number {
  return farthest.get(diagonal) ?? -1;
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  left: readonly string[],
  right: readonly string[],
): Piece[] {
  const pieces: Piece[] = [];
  let [x, y] = [left.length, right.length];
  for (const [changes, farthest] of [...trace.entries()].toReversed()) {
    const diagonal = x - y;
    const from = isDown(farthest, diagonal, changes) ? diagonal + 1 : diagonal - 1;
    const fromX = at(farthest, from);
    const fromY = fromX - from;
    while (x > fromX && y > fromY) {
      x--;
      y--;
      pieces.push({ kind: "same", text: left[x] ?? "" });
    }
    if (changes === 0) break;
    if (x === fromX) pieces.push({ kind: "added", text: right[y - 1] ?? "" });
    else pieces.push({ kind: "removed", text: left[x - 1] ?? "" });
    [x, y] = [fromX, fromY];
  }
  return pieces.toReversed();
}

function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last?.kind === piece.kind)
      result[result.length - 1] = { kind: last.kind, text: last.text + piece.text };
    else result.push(piece);
  }
  return result;
}
