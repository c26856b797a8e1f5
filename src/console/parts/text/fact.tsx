// A name with its value, in a `<dl class="facts">`.

import type { ComponentChildren } from "preact";

interface FactProps {
  readonly name: ComponentChildren;
  /** Null: there is none, and nothing is shown. */
  readonly value: ComponentChildren;
  /** Of the value. */
  readonly class?: string;
}

export function Fact({ name, value, class: valueClass }: FactProps) {
  if (value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class={valueClass}>{value}</dd>
    </>
  );
}
