// What a view shows while there is nothing: why, and what to do next.

import type { ComponentChildren } from "preact";

interface EmptyProps {
  /** Such as "No memories yet". */
  readonly title: string;
  /** What to do next: a sentence, a command to copy, a button. */
  readonly children: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
