// Owns the shortcuts of the keyboard: single keys and sequences of two, such as `g m`. They do nothing while a person types, with a
// modifier, or behind an open dialog or menu. They can be switched off, because people who dictate would press them by accident (WCAG 2.1.4).

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { savedChoice } from "./saved-choice.ts";

export interface Shortcut {
  /** One key, or two with a space between them, as in KeyboardEvent.key: `/`, `j`, `Enter`, `g m`. */
  readonly keys: string;
  /** What it does, for the list of shortcuts. */
  readonly label: string;
  readonly run: () => void;
}

export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The groups that work at present, the newest last: it is asked first. */
export const shortcutGroups = signal<readonly ShortcutGroup[]>([]);
export const areShortcutsOn = savedChoice("memledger.shortcuts", ["on", "off"], "on");

/** The second key of a sequence has to follow within this time. */
const sequenceMaxMs = 1_500;

let firstKey: { readonly key: string; readonly at: number } | null = null;

/** Makes the shortcuts work while the component is shown. The functions may change with each render. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  const names = shortcuts.map(({ keys }) => keys).join("\n");
  useEffect(() => {
    const group: ShortcutGroup = {
      title,
      get shortcuts() {
        return current.current;
      },
    };
    shortcutGroups.value = [...shortcutGroups.peek(), group];
    return () => {
      shortcutGroups.value = shortcutGroups.peek().filter((each) => each !== group);
    };
  }, [title, names]);
}

/** For the whole document. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (areShortcutsOn.value === "off" || isTyping(event.target) || isBehindDialog()) return;
  const sequence =
    firstKey !== null && event.timeStamp - firstKey.at < sequenceMaxMs
      ? `${firstKey.key} ${event.key}`
      : null;
  firstKey = null;
  const shortcut = (sequence !== null ? find(sequence) : undefined) ?? find(event.key);
  if (shortcut !== undefined) {
    if (activates(event)) return;
    event.preventDefault();
    shortcut.run();
  } else if (all().some(({ keys }) => keys.startsWith(`${event.key} `))) {
    firstKey = { key: event.key, at: event.timeStamp };
  }
}

function all(): Shortcut[] {
  return shortcutGroups.value.toReversed().flatMap(({ shortcuts }) => shortcuts);
}

function find(keys: string): Shortcut | undefined {
  return all().find((shortcut) => shortcut.keys === keys);
}

/** Enter on a link or a button does what it says. */
function activates({ key, target }: KeyboardEvent): boolean {
  return key === "Enter" && target instanceof Element && target.closest("a, button, summary") !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button|range)$/.test(target.type);
}

function isBehindDialog(): boolean {
  return document.querySelector("dialog:modal, :popover-open") !== null;
}
