// Shows what an edit changes: words that were removed and added, in one text, or one value instead of another.

import { differenceOf, type Piece } from "./text-difference.ts";

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
}

export function Difference({ before, after }: DifferenceProps) {
  return <Pieces pieces={differenceOf(before, after)} />;
}

export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    <p class="difference" dir="auto">
      {pieces.map(({ kind, text }, index) => {
        if (kind === "same") return <span key={index}>{text}</span>;
        return kind === "removed" ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>;
      })}
    </p>
  );
}

/** Belongs into an element of the class `difference`. */
export function ValueChange({ before, after }: DifferenceProps) {
  return (
    <>
      <del>
        <bdi>{before}</bdi>
      </del>{" "}
      <ins>
        <bdi>{after}</bdi>
      </ins>
    </>
  );
}
