// Owns the choices of a person that this browser keeps: theme, times in local or in UTC, shortcuts. Must never keep data of a project.

import { effect, type Signal, signal } from "@preact/signals";

/** A signal with one of `choices`. What is kept and is none of them means `standard`. Another tab that changes it changes it here, too. */
export function savedChoice<const Choice extends string>(
  key: string,
  choices: readonly Choice[],
  standard: Choice,
): Signal<Choice> {
  const read = (text: string | null) => choices.find((choice) => choice === text) ?? standard;
  const choice = signal(read(kept(key)));
  addEventListener("storage", (event) => {
    if (event.key === key) choice.value = read(event.newValue);
  });
  effect(() => {
    try {
      if (kept(key) !== choice.value) localStorage.setItem(key, choice.value);
    } catch {
      // The browser refuses storage to this page: the choice lasts until the page is closed.
    }
  });
  return choice;
}

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
