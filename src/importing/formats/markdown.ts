// Owns plain Markdown lists: each item is a memory, with the lines that continue it. Headings, paragraphs and code are left out.

import type { Entry } from "../entry.ts";
import { recordMaxBytes } from "../limits.ts";
import { readTextLines, tooLong } from "../text-lines.ts";
import type { ImportFormat } from "./format.ts";
import { isListItem, withoutBullet } from "./list-item.ts";

const fence = /^(```|~~~)/;

export const markdown: ImportFormat = {
  description: "Markdown lists; each item is a memory",
  detect: ({ text }) => (text.split("\n").some((line) => isListItem(line.trim())) ? "has list items" : null),
  async *read({ stream }) {
    let item: { readonly line: number; readonly texts: string[] } | null = null;
    let characters = 0;
    let isInCode = false;
    const take = function* (): Generator<Entry> {
      if (item !== null && characters > recordMaxBytes) yield { line: item.line, fault: tooLong };
      else if (item !== null) yield { line: item.line, memory: { content: item.texts.join(" ") } };
      [item, characters] = [null, 0];
    };
    for await (const each of readTextLines(stream)) {
      const { line } = each;
      if ("fault" in each) {
        yield* take();
        yield each;
        continue;
      }
      const text = each.text.trim();
      if (fence.test(text)) isInCode = !isInCode;
      if (!isInCode && isListItem(text)) {
        yield* take();
        item = { line, texts: [withoutBullet(text)] };
      } else if (item !== null && !isInCode && /^\s/.test(each.text) && text !== "") {
        characters += text.length;
        if (characters <= recordMaxBytes) item.texts.push(text);
      } else yield* take();
      if (item === null && text !== "" && !/^(#|```|~~~)/.test(text) && !isInCode)
        yield { line, skipped: "is no list item" };
    }
    yield* take();
  },
};
