// Reads the pages of the documentation: those in the root, docs/, and the pages beside the model, the
// benchmarks, the clients and the annotated texts.
// Must never know what a page is about.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");

export interface Block {
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** First word behind the fence, or "" without one. */
  readonly language: string;
  /** What follows the language: a file name, or how the block is run. */
  readonly option: string;
  readonly text: string;
}

const list = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root })].toSorted();

export const pages: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...list("{docs,bench}/**/*.md"),
  ...list("src/**/README.md"),
  ...list("models/*/README.md"),
  ...list("clients/*/README.md"),
  ...list("test/models/extraction/**/*.md"),
];

export function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export function blocksOf(page: string): Block[] {
  const text = read(page);
  return [...text.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = "", option = "", body = ""] = match;
    return { page, line: text.slice(0, match.index).split("\n").length, language, option, text: body };
  });
}

/** The page without its code blocks. */
export function proseOf(page: string): string {
  return read(page).replace(/^```[\s\S]*?^```$/gm, "");
}

/** Texts between single backticks outside of code blocks. */
export function inlineCodeOf(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Cells of the rows of each table whose first heading is `head`; with `title`, of those in the part of the page under this title. */
export function tableOf(page: string, head: string, title: string | null = null): string[][] {
  const parts = proseOf(page).split(/^#+ /m);
  const text = title === null ? proseOf(page) : (parts.find((part) => part.startsWith(`${title}\n`)) ?? "");
  const tables = text.matchAll(/^\|.*\n\|[-|: ]+\n((?:\|.*\n?)*)/gm);
  return [...tables]
    .filter(([table]) => table.startsWith(`| ${head} |`))
    .flatMap(([, rows = ""]) => rows.trimEnd().split("\n"))
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}
