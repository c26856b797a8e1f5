// Gives the focus to what is near when the element that has it is removed, such as a closed panel. The browser would begin at the top of the
// page again.

/** What takes the focus: a table, or the heading of a view, a panel or a dialog. */
const places = "table[tabindex], h1[tabindex], h2[tabindex]";

/** The element with the focus and those around it, the innermost first; empty: none has it. */
let path: Element[] = [];

addEventListener("focusin", ({ target }) => {
  path = [];
  for (let each = target instanceof Element ? target : null; each !== null; each = each.parentElement)
    path.push(each);
});

addEventListener("focusout", () =>
  queueMicrotask(() => {
    if (path[0]?.isConnected && !path[0].matches(":focus")) path = [];
  }),
);

new MutationObserver(() => {
  if (path.length === 0 || path[0]?.isConnected || document.activeElement !== document.body) return;
  for (const around of path.filter(({ isConnected }) => isConnected)) {
    const place = around.matches(places) ? around : around.querySelector(places);
    if (!(place instanceof HTMLElement)) continue;
    place.focus({ preventScroll: true });
    return;
  }
}).observe(document, { childList: true, subtree: true });
