// Holds the links of the documentation to the files and headings that they name, and pages that must be short to their length.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pages, proseOf, read, root } from "./pages.ts";

interface Link {
  readonly page: string;
  readonly target: string;
}

const links: readonly Link[] = pages.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({ page, target })),
);
const local = links.filter(({ target }) => !/^https?:/.test(target));

/** As code hosts make it from a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function fileOf({ page, target }: Link): string {
  const [path = ""] = target.split("#");
  return path === "" ? page : relative(root, join(root, dirname(page), path));
}

test("every link leads to a file", () => {
  expect(local.length).toBeGreaterThan(40);
  expect(local.filter((link) => !existsSync(join(root, fileOf(link))))).toEqual([]);
});

test("every link to a heading leads there", () => {
  const wrong = local.filter((link) => {
    const [, anchor] = link.target.split("#");
    if (anchor === undefined) return false;
    const headings = [...read(fileOf(link)).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
    return !headings.map(anchorOf).includes(anchor);
  });
  expect(wrong).toEqual([]);
});

test("every page is found from the index, and the README fits on a few screens", () => {
  const listed = links.filter(({ page }) => page === "docs/README.md").map(fileOf);
  const unlisted = pages.filter((page) => page.startsWith("docs/") && !listed.includes(page));
  expect(unlisted.filter((page) => page !== "docs/README.md")).toEqual([]);
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test.each(pages.filter((page) => page.startsWith("docs/recipes/")))("%s is short", (page) => {
  expect(read(page).split(/\s+/).length).toBeLessThanOrEqual(400);
});
