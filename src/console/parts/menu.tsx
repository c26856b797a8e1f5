// A button that opens a small surface beside it: a menu, a list to choose from. The browser closes it with Escape or a click elsewhere.

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

interface MenuProps {
  /** What the button shows. */
  readonly button: ComponentChildren;
  /** For screen readers, if the button shows no text. */
  readonly label?: string;
  readonly class?: string;
  /** Where the surface appears. Default: below */
  readonly side?: "below" | "above";
  /** Drawn while it is open. `close` closes it and gives the focus back. */
  readonly children: (close: () => void) => ComponentChildren;
}

const gap = 4;

export function Menu({ button, label, class: className, side = "below", children }: MenuProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const surface = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = () => {
    const { current } = surface;
    const box = opener.current?.getBoundingClientRect();
    if (current === null || box === undefined) return;
    const left = Math.min(box.left, innerWidth - current.offsetWidth - gap);
    current.style.left = `${Math.max(left, gap)}px`;
    current.style.top = side === "below" ? `${box.bottom + gap}px` : "auto";
    current.style.bottom = side === "above" ? `${innerHeight - box.top + gap}px` : "auto";
    current.querySelector<HTMLElement>("input, a, button")?.focus();
  };
  const close = () => surface.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        ref={opener}
        class={className}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        {button}
      </button>
      <div
        id={id}
        ref={surface}
        class="menu"
        popover="auto"
        onToggle={(event) => {
          const opened = event.newState === "open";
          setOpen(opened);
          if (opened) requestAnimationFrame(place);
        }}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}
