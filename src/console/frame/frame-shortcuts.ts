// Binds the shortcuts that work in every view.

import { useEffect } from "preact/hooks";
import { canOpen } from "../access.ts";
import { addresses } from "../addresses.ts";
import { route } from "../location.ts";
import { handleKey, type Shortcut, useShortcuts } from "../parts/shortcuts.ts";
import { pathOf, projectId } from "../project.ts";
import { session } from "../session.ts";
import { isHelpOpen } from "./help-dialog.tsx";
import { installationViews, type NavigationItem, projectViews } from "./navigation-list.ts";

export function useFrameShortcuts(): void {
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  const openable = ({ view }: NavigationItem) => canOpen(view, session.value ?? null);
  const items = [...(projectId.value === null ? [] : projectViews), ...installationViews].filter(openable);
  const goes = items.map(
    ({ view, key }): Shortcut => ({
      keys: `g ${key}`,
      label: `${addresses[view].title}${view === "overview" ? " of the installation" : ""}`,
      run: () => route(pathOf(view)),
    }),
  );
  useShortcuts("Go to", goes);
  useShortcuts("Everywhere", [
    { keys: "/", label: "Search", run: () => focusSearch() },
    {
      keys: "?",
      label: "Show the shortcuts",
      run: () => {
        isHelpOpen.value = true;
      },
    },
  ]);
}

/** The search field of the view; without one, the search lab. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field !== null) {
    field.focus();
    field.select();
  } else if (projectId.value !== null) route(pathOf("search"));
}
