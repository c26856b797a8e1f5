// Owns the choice between the dark and the light theme. Without a choice, that of the system applies.

import { effect } from "@preact/signals";
import { savedChoice } from "./saved-choice.ts";

export const themes = ["system", "light", "dark"] as const;

/** theme.ts reads what is kept before the page is painted. */
export const themeChoice = savedChoice("memledger.theme", themes, "system");

effect(() => {
  const { dataset } = document.documentElement;
  if (themeChoice.value === "system") delete dataset.theme;
  else dataset.theme = themeChoice.value;
});
