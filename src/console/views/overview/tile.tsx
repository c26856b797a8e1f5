// A figure of the overview with what it consists of.

import type { ComponentChildren } from "preact";
import { countText } from "../../parts/text/count.tsx";

interface TileProps {
  readonly title: string;
  readonly figure: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Tile({ title, figure, children }: TileProps) {
  return (
    <section class="card tile">
      <h2>{title}</h2>
      <p class="figure">{figure}</p>
      {children}
    </section>
  );
}

/** How much of a limit is used. @param label for screen readers */
export function Used({
  label,
  value,
  of,
}: {
  readonly label: string;
  readonly value: number;
  readonly of: number;
}) {
  return (
    <meter aria-label={label} min={0} max={of} value={value} low={0.9 * of} high={0.95 * of} optimum={0} />
  );
}

const types = ["fact", "rule", "context", "passage"];

/** `12 facts, 3 rules, 4 contexts` as one line. */
export function MemoryTypes({ memories }: { readonly memories: Readonly<Record<string, number>> }) {
  const names = [...new Set([...types, ...Object.keys(memories)])];
  return (
    <dl class="parts">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{countText(memories[name] ?? 0)}</dd>
        </div>
      ))}
    </dl>
  );
}
