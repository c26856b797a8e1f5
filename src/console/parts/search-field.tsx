// A field for words to look for. Each search is a call, which the ledger records, so the words are sent when typing pauses.

import { useEffect, useRef, useState } from "preact/hooks";

interface SearchFieldProps {
  readonly label: string;
  readonly text: string;
  readonly onPause: (text: string) => void;
}

const pauseMs = 300;

export function SearchField({ label, text, onPause }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  useEffect(() => {
    // The address has changed by something else than typing, such as a step back.
    if (text !== sent.current) setTyped(text);
    sent.current = text;
  }, [text]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      onPause(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      placeholder={label}
      aria-label={label}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={(event) => {
        // In a menu, Escape closes the menu.
        if (event.key !== "Escape" || event.currentTarget.closest("[popover]") !== null) return;
        event.currentTarget.blur();
        event.stopPropagation();
      }}
    />
  );
}
