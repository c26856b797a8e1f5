// Tabs: the arrow keys move between them. What a tab shows is in the address, so the view keeps the chosen one in its query.

import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

interface TabsProps<Name extends string> {
  readonly label: string;
  /** Names with their titles, in order. */
  readonly tabs: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** What the chosen tab shows. */
  readonly children: ComponentChildren;
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const isName = (text: string): text is Name => Object.hasOwn(tabs, text);
  const names = Object.keys(tabs).filter(isName);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length];
    if (next === undefined) return;
    onChoose(next);
    list.current?.querySelector<HTMLElement>(`[data-name="${next}"]`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-name={name}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            onKeyDown={move}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
