// Owns the address of the page. A link to a page of the console changes it without another load of the page. Must never follow a link that
// leaves the console.

import { signal } from "@preact/signals";
import { type Address, addresses, type ViewName } from "./addresses.ts";

const present = () => location.pathname + location.search;
/** Path and query. */
export const url = signal(present());

/** Goes to another page of the console. @param isReplaced whether the history forgets the previous address */
export function route(to: string, isReplaced = false): void {
  history[isReplaced ? "replaceState" : "pushState"](null, "", to);
  url.value = to;
}

addEventListener("popstate", () => {
  url.value = present();
});

addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0 || link.target !== "") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || link.hasAttribute("download"))
    return;
  if (link.origin !== location.origin || found(link.pathname) === null || link.hash !== "") return;
  event.preventDefault();
  route(link.pathname + link.search);
});

interface Found extends Address {
  readonly view: ViewName;
  /** Null: the path names none. */
  readonly project: string | null;
}

/** The page at a path; null: there is none. */
export function found(path: string): Found | null {
  const segments = segmentsOf(path);
  for (const [view, address] of Object.entries<Address>(addresses)) {
    const expected = segmentsOf(address.path);
    const matches = (segment: string, at: number) => segment === ":project" || segment === segments[at];
    if (expected.length !== segments.length || !expected.every(matches)) continue;
    const project = segments[expected.indexOf(":project")];
    return {
      ...address,
      view: view as ViewName,
      project: project === undefined ? null : decodeURIComponent(project),
    };
  }
  return null;
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, "").split("/");
}

/** The page that is shown. */
export function shownPage(): Found | null {
  return found(shownUrl().pathname);
}

/** Whose memories the page shows; null: those of the project itself. */
export function shownSubject(): string | null {
  return (shownPage()?.forSubjects && shownUrl().searchParams.get("subject")) || null;
}

function shownUrl(): URL {
  return new URL(url.value, location.origin);
}
