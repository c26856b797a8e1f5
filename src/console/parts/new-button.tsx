// The button that begins something new, such as a key, and its key `n`. Exists while it is allowed.

import { Icon } from "./icon.tsx";
import { useShortcuts } from "./shortcuts.ts";

interface NewButtonProps {
  /** Such as "key". */
  readonly what: string;
  /** Heading of its shortcut in the list of all shortcuts. */
  readonly group: string;
  readonly onClick: () => void;
}

export function NewButton({ what, group, onClick }: NewButtonProps) {
  const label = `New ${what}`;
  useShortcuts(group, [{ keys: "n", label, run: onClick }]);
  return (
    <button type="button" class="primary" onClick={onClick}>
      <Icon name="plus" />
      {label}
    </button>
  );
}
