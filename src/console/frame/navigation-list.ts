// Owns the order, the icons and the keys of the views in the navigation.

import type { ViewName } from "../addresses.ts";
import type { IconName } from "../parts/icon.tsx";

export interface NavigationItem {
  readonly view: ViewName;
  readonly icon: IconName;
  /** `g` and this key lead there. */
  readonly key: string;
}

export const projectViews: readonly NavigationItem[] = [
  { view: "project-overview", icon: "overview", key: "o" },
  { view: "memories", icon: "memories", key: "m" },
  { view: "conversations", icon: "conversations", key: "c" },
  { view: "suggestions", icon: "suggestions", key: "r" },
  { view: "subjects", icon: "subjects", key: "u" },
  { view: "search", icon: "search", key: "s" },
  { view: "extract", icon: "extract", key: "x" },
  { view: "ledger", icon: "ledger", key: "l" },
  { view: "proof", icon: "proof", key: "p" },
  { view: "exports", icon: "exports", key: "e" },
  { view: "keys", icon: "keys", key: "k" },
];

export const installationViews: readonly NavigationItem[] = [
  { view: "overview", icon: "overview", key: "h" },
  { view: "projects", icon: "projects", key: "j" },
  { view: "sessions", icon: "sessions", key: "i" },
  { view: "settings", icon: "settings", key: "," },
];
