// Owns moving the focus between elements of one kind, for the keys `j` and `k` of views without a table.

/** Focuses the element that is `step` behind the one with the focus; without one, the first. @returns it; null: there is none */
export function moveFocus(root: HTMLElement | null, selector: string, step: number): HTMLElement | null {
  const all = [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const at = all.findIndex((each) => each.matches(":focus-within"));
  const next = all[Math.min(Math.max(at + step, 0), all.length - 1)] ?? null;
  next?.focus();
  return next;
}
