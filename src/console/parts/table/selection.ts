// Owns which rows of a table are selected: some, by their identifiers, or all that match a filter, except some. The second kind includes
// rows that were never loaded.

export type Selection =
  | { readonly kind: "some"; readonly ids: ReadonlySet<string> }
  | { readonly kind: "all matching"; readonly except: ReadonlySet<string> };

export const nothingSelected: Selection = { kind: "some", ids: new Set() };
export const allMatching: Selection = { kind: "all matching", except: new Set() };

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === "some" ? selection.ids.has(id) : !selection.except.has(id);
}

/** The selection with these rows selected, or not. */
export function select(selection: Selection, ids: readonly string[], selected: boolean): Selection {
  const named = new Set(selection.kind === "some" ? selection.ids : selection.except);
  for (const id of ids) {
    if ((selection.kind === "some") === selected) named.add(id);
    else named.delete(id);
  }
  return selection.kind === "some" ? { kind: "some", ids: named } : { kind: "all matching", except: named };
}

/** @param total how many rows match; null: unknown. @returns null: unknown */
export function selectedCount(selection: Selection, total: number | null): number | null {
  if (selection.kind === "some") return selection.ids.size;
  return total === null ? null : total - selection.except.size;
}
