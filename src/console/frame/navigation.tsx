// The navigation: the project, its views, the views of the installation, and the menu of the person. On narrow screens it opens over the
// page.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { canOpen } from "../access.ts";
import { addresses } from "../addresses.ts";
import { shownPage } from "../location.ts";
import { Icon } from "../parts/icon.tsx";
import { pathOf, projectId } from "../project.ts";
import { session } from "../session.ts";
import { installationViews, type NavigationItem, projectViews } from "./navigation-list.ts";
import { PersonMenu } from "./person-menu.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";

/** Only on narrow screens; on others it is always shown. */
export const isNavigationOpen = signal(false);

export function Navigation() {
  const page = shownPage();
  const panel = useRef<HTMLElement>(null);
  const isOpen = isNavigationOpen.value;
  useEffect(() => {
    isNavigationOpen.value = false;
  }, [page?.view, page?.project]);
  useEffect(() => {
    if (isOpen) panel.current?.querySelector<HTMLElement>("a, button")?.focus();
  }, [isOpen]);
  const close = () => {
    isNavigationOpen.value = false;
  };
  return (
    <>
      {isOpen && <div class="curtain" onClick={close} aria-hidden="true" />}
      <nav
        ref={panel}
        class="navigation"
        aria-label="Console"
        data-open={isOpen}
        onKeyDown={({ key, target }) => {
          // Escape in an open menu closes that menu only.
          if (key === "Escape" && !(target instanceof Element && target.closest("[popover]"))) close();
        }}
      >
        <a class="brand" href={addresses.overview.path}>
          <Icon name="ledger" />
          memledger
        </a>
        <ProjectSwitcher />
        {projectId.value !== null && <Links label="Project" items={projectViews} />}
        {session.value?.kind === "administrator" && <Links label="Installation" items={installationViews} />}
        <PersonMenu />
      </nav>
    </>
  );
}

interface LinksProps {
  readonly label: string;
  readonly items: readonly NavigationItem[];
}

function Links({ label, items }: LinksProps) {
  const shown = items.filter(({ view }) => canOpen(view, session.value ?? null));
  if (shown.length === 0) return null;
  return (
    <div class="links">
      <h2>{label}</h2>
      <ul>
        {shown.map(({ view, icon }) => (
          <li key={view}>
            <a href={pathOf(view)} aria-current={shownPage()?.view === view ? "page" : undefined}>
              <Icon name={icon} />
              {addresses[view].title}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
