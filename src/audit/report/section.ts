// Owns the form of what the page of a report says.

import type { SectionId } from "./standards.ts";

export type Cell = string | number | null;

export type Block =
  | { readonly text: string; readonly tone?: "warning" | "good" }
  | { readonly command: string }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly Cell[])[]; readonly none: string };

export interface Section {
  readonly id: SectionId | "summary" | "standards" | "verify";
  readonly title: string;
  readonly blocks: readonly Block[];
}
