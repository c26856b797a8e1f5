// Owns Markdown of any kind, such as CLAUDE.md, AGENTS.md or the notes of Obsidian: each paragraph, list item, quote, table and block of code is
// a memory, word for word. Headings are found with what is below them, and some of them make rules.

import { categoryOfSection, isUnsettled } from "../../../platform/text/headings.ts";
import type { FoundMemory } from "../entry.ts";
import { dateIn, readFrontMatter, tagsIn } from "../front-matter.ts";
import { leadOfHeadings, readBlocks } from "../markdown-blocks.ts";
import { readTextLines } from "../text-lines.ts";
import { saidAt, tagged } from "../values.ts";
import type { ImportFormat } from "./format.ts";
import { isListItem } from "./list-item.ts";

export const markdown: ImportFormat = {
  description: "any Markdown: each paragraph and list item is a memory, with the headings above it",
  detect({ text }) {
    const lines = text.split("\n").map((line) => line.trim());
    if (lines.some((line) => isListItem(line))) return "has list items";
    return lines.some((line) => /^#{1,6}[ \t]+\S/.test(line)) ? "has headings" : null;
  },
  async *read({ stream }) {
    let note: Pick<FoundMemory, "tags" | "origins"> = {};
    let title: readonly string[] = [];
    const lines = readFrontMatter(readTextLines(stream), (fields) => {
      note = { ...tagged(tagsIn(fields)), ...saidAt(dateIn(fields)) };
      if (typeof fields.title === "string") title = [fields.title];
    });
    for await (const block of readBlocks(lines)) {
      if (!("text" in block)) {
        yield block;
        continue;
      }
      const { line, text: content, headings, parents } = block;
      const lead = leadOfHeadings([...title, ...headings, ...parents]);
      const type = isRule(headings) ? { memory_type: "rule" } : {};
      yield { line, memory: { content, ...note, ...type, ...(lead !== null && { lead }) } };
    }
  },
};

/** The innermost heading that says what is below it decides. */
function isRule(headings: readonly string[]): boolean {
  const deciding = headings.findLast((each) => isUnsettled(each) || categoryOfSection(each) !== null);
  return deciding !== undefined && categoryOfSection(deciding) === "rule";
}
