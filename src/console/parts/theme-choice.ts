// Owns the choice between the dark and the light theme. Without a choice, that of the system applies.

import { effect, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** theme.ts reads it before the page is painted. */
const storageKey = "memledger.theme";

export const themeChoice = signal<Theme>(readTheme(stored()));

effect(() => {
  const { dataset } = document.documentElement;
  if (themeChoice.value === "system") delete dataset.theme;
  else dataset.theme = themeChoice.value;
});

/** Any other text than a theme means that of the system. The choice is kept in this browser. */
export function chooseTheme(text: string): void {
  const theme = readTheme(text);
  themeChoice.value = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The browser refuses storage to this page: the choice lasts until the page is closed.
  }
}

function readTheme(text: string | null): Theme {
  return themes.find((theme) => theme === text) ?? "system";
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
