// Owns the list of memories of ChatGPT. It has no export of its own: users copy the list of "Manage memories", one memory in each line, or
// ask for it, and get numbered lines such as "1. [2024-04-26]. User loves dogs."
// Sources: https://help.openai.com/en/articles/8590148-memory-faq, and "Model Set Context" in Articles/chatgpt-bio-tool-and-memory of
// github.com/0xeb/TheBigPromptLibrary.

import type { Entry } from "../entry.ts";
import { readTextLines } from "../text-lines.ts";
import { saidAt } from "../values.ts";
import type { ImportFormat } from "./format.ts";
import { withoutBullet } from "./list-item.ts";

/** The date on which it was saved. */
const saved = /^\[(\d{4}-\d{2}-\d{2})\]\.?\s+/;

export const chatgpt: ImportFormat = {
  description: "list of ChatGPT's memories, one in each line",
  detect: ({ text }) =>
    /^[ \t]*(?:\d+\.[ \t]+)?\[\d{4}-\d{2}-\d{2}\]\.[ \t]+\S/m.test(text)
      ? 'has lines such as "1. [2024-04-26]. ..."'
      : null,
  async *read({ stream }) {
    for await (const each of readTextLines(stream)) {
      const entry = "text" in each ? toEntry(each.line, each.text) : each;
      if (entry !== null) yield entry;
    }
  },
};

function toEntry(line: number, text: string): Entry | null {
  const trimmed = text.trim();
  if (trimmed === "" || /^(#|```|~~~)/.test(trimmed)) return null;
  const item = withoutBullet(trimmed);
  return { line, memory: { content: item.replace(saved, ""), ...saidAt(saved.exec(item)?.[1]) } };
}
