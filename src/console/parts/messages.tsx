// Short messages at the edge of the page: what was done, with a way to undo it. Screen readers read them out (a polite live region).

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "./icon.tsx";

export interface Message {
  readonly text: string;
  readonly kind?: "done" | "warning";
  /** Such as "Undo". */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Such as "Run the checks". */
  readonly link?: { readonly label: string; readonly href: string };
}

interface Shown extends Message {
  readonly number: number;
}

const shown = signal<readonly Shown[]>([]);
let count = 0;

const lifeMs = 6_000;
const shownMax = 3;

/**
 * Shows a message for some seconds; with an action until it is closed, or until there are three newer ones, because a person may need time to
 * see that something has to be undone. A failure that needs an action of the person belongs to the view (failure.tsx).
 */
export function showMessage(message: Message): void {
  count += 1;
  shown.value = [...shown.value, { ...message, number: count }].slice(-shownMax);
}

export function Messages() {
  return (
    <div class="messages" role="status" aria-live="polite">
      {shown.value.map((message) => (
        <ShownMessage key={message.number} message={message} />
      ))}
    </div>
  );
}

function ShownMessage({ message }: { readonly message: Shown }) {
  const { text, action, link, kind = "done", number } = message;
  const close = () => {
    shown.value = shown.value.filter((each) => each.number !== number);
  };
  useEffect(() => {
    if (action !== undefined) return;
    const timer = setTimeout(close, lifeMs);
    return () => clearTimeout(timer);
  }, [number]);
  return (
    <div class={`message ${kind}`}>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <span>{text}</span>
      {action !== undefined && (
        <button
          type="button"
          class="link"
          onClick={() => {
            close();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      {link !== undefined && (
        <a href={link.href} onClick={close}>
          {link.label}
        </a>
      )}
      <button type="button" class="bare" aria-label="Close the message" onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  );
}
