// Owns the pages of the handbook: their names, and what the index (docs/README.md) says about each. Must never show a page.

import { handbookFiles } from "./files.ts";

export interface HandbookPage {
  /** As `memledger docs` and the path /docs/handbook/NAME name it, such as `backup` or `recipes/back-up`. */
  readonly name: string;
  /** Path in docs/. */
  readonly path: string;
  readonly title: string;
  /** One sentence, as Markdown. */
  readonly summary: string;
}

const indexPath = "README.md";

/** In docs/, the folders say who reads a page; a name needs only those that would be ambiguous without it. */
export function pageName(path: string): string {
  return path
    .replace(/^(user|operator)\//, "")
    .replace(/\.md$/, "")
    .toLowerCase();
}

export const handbookPaths: readonly string[] = Object.keys(handbookFiles).filter(
  (path) => path !== indexPath,
);

/** In the order of the index. */
export async function handbookPages(): Promise<HandbookPage[]> {
  const rows = (await readHandbookFile(indexPath)).matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (.+) \|$/gm);
  return [...rows].flatMap(([, title = "", path = "", summary = ""]) =>
    handbookPaths.includes(path) ? [{ name: pageName(path), path, title, summary }] : [],
  );
}

/** @returns the page as Markdown */
export async function readHandbookFile(path: string): Promise<string> {
  return Bun.file(handbookFiles[path] ?? "").text();
}
