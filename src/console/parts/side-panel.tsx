// A panel beside a table with one row in full. The page stays usable; on narrow screens the panel covers it. Escape closes it.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface SidePanelProps {
  readonly title: string;
  /** Identifier of what is shown: the focus goes to the title when it changes. */
  readonly shows: string;
  readonly onClose: () => void;
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function SidePanel({ title, shows, onClose, actions, children }: SidePanelProps) {
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    // Moving in the table with the keyboard changes the panel: then the focus stays there.
    if (before?.closest("table") === null) heading.current?.focus({ preventScroll: true });
  }, [shows]);
  return (
    <aside
      class="side-panel"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || isCovered()) return;
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {actions}
        <button type="button" class="bare" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="content">{children}</div>
    </aside>
  );
}

/** Whether a dialog or a menu is open, which Escape closes first. */
function isCovered(): boolean {
  return document.querySelector("dialog:modal, :popover-open") !== null;
}
