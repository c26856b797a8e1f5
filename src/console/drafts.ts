// Owns the drafts of forms: what was typed and not stored yet. They survive another view, a reload and the end of a session, in this tab
// only. They end when they are stored or discarded, when the person signs out, or when the tab is closed.

import { useState } from "preact/hooks";

const prefix = "memledger.draft.";
const drafts = new Map<string, unknown>();

export interface Draft<Value> {
  readonly value: Value;
  readonly set: (value: Value) => void;
  /** Whether something was typed. */
  readonly isChanged: boolean;
  /** After the value was stored, or to begin again. */
  readonly clear: () => void;
}

/**
 * @param name which form of what, such as `memory.0123`. Without a draft of this name, the value is `initial`
 * @param isValue whether a draft of an earlier version of the page still has the form of a value
 */
export function useDraft<Value>(
  name: string,
  initial: Value,
  isValue: (value: unknown) => value is Value,
): Draft<Value> {
  const [, redraw] = useState(0);
  const draft = read(name);
  const isChanged = isValue(draft);
  const change = (work: () => void) => {
    work();
    redraw((count) => count + 1);
  };
  return {
    value: isChanged ? draft : initial,
    isChanged,
    set: (value) => change(() => write(name, value)),
    clear: () => change(() => remove(name)),
  };
}

export function forgetDrafts(): void {
  for (const name of drafts.keys()) remove(name);
  for (const key of keptKeys()) sessionStorage.removeItem(key);
}

function read(name: string): unknown {
  if (drafts.has(name)) return drafts.get(name);
  try {
    const kept = sessionStorage.getItem(prefix + name);
    return kept === null ? undefined : JSON.parse(kept);
  } catch {
    return undefined;
  }
}

function write(name: string, value: unknown): void {
  drafts.set(name, value);
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Refused, or full: the draft lives as long as the page.
  }
}

function remove(name: string): void {
  drafts.delete(name);
  try {
    sessionStorage.removeItem(prefix + name);
  } catch {
    // Refused: nothing was kept.
  }
}

function keptKeys(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
