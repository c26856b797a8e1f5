// Shows what an edit changes: words that were removed and added, in one text.

import { differenceOf } from "./text-difference.ts";

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
}

export function Difference({ before, after }: DifferenceProps) {
  return (
    <p class="difference" dir="auto">
      {differenceOf(before, after).map(({ kind, text }, index) => {
        if (kind === "same") return <span key={index}>{text}</span>;
        return kind === "removed" ? <del key={index}>{text}</del> : <ins key={index}>{text}</ins>;
      })}
    </p>
  );
}
