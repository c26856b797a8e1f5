// The frame of a view: its heading, the title of the page, and the focus after a navigation, so that screen readers say where one is.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface ViewProps {
  readonly title: string;
  /** What else the title of the page has, such as the name of the project. */
  readonly of?: string;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** One sentence below the heading. */
  readonly lead?: ComponentChildren;
  /** The content has the whole height, and scrolls itself: for tables. */
  readonly fills?: boolean;
  readonly children: ComponentChildren;
}

/** Of the page that was loaded: its heading does not take the focus. */
let isFirst = true;

export function View({ title, of, actions, lead, fills = false, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = [title, of, "memledger"].filter((part) => part !== undefined).join(" · ");
  }, [title, of]);
  return (
    <section class="view" data-fills={fills}>
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
        {lead !== undefined && <p class="lead">{lead}</p>}
      </header>
      {children}
    </section>
  );
}
