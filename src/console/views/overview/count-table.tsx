// A table of a card: what was counted, and how often.

import type { ComponentChildren } from "preact";

interface CountTableProps {
  /** The titles of the columns; the first one is that of the rows. */
  readonly columns: readonly string[];
  /** Rows of `tr`. */
  readonly children: ComponentChildren;
}

export function CountTable({ columns, children }: CountTableProps) {
  return (
    <table class="counts">
      <thead>
        <tr>
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
