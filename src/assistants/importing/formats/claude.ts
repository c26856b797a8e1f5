// Owns the memories of Claude: the list that it is asked for, with lines such as "[2025-03-01] - text", and memories.json of the export
// of its data, whose texts are Markdown.
// Sources: https://support.claude.com/en/articles/12123587-import-and-export-your-memory-from-claude (the form of the list), and files of
// that export as several programs on GitHub read them (conversations_memory, project_memories).

import { isObject, type JsonObject } from "../../../platform/json/json.ts";
import { type Entry, type FoundMemory, sourceIdOf } from "../entry.ts";
import { readJsonRecords } from "../json-records.ts";
import { type Block, leadOfHeadings, readBlocks } from "../markdown-blocks.ts";
import type { Source } from "../source.ts";
import { linesOfText, readTextLines } from "../text-lines.ts";
import { saidAt } from "../values.ts";
import type { ImportFormat } from "./format.ts";
import { isListItem, withoutBullet } from "./list-item.ts";

/** The date on which it was saved, or a remark that it is not known. */
const saved = /^\[([^\]]{0,40})\]\s*[-–—]\s+/;
const isJson = (head: string) => /^\s*[[{]\s*(?:\{\s*)?"/.test(head);

export const claude: ImportFormat = {
  description: "list of Claude's memories, or memories.json of the export of its data",
  detect({ text, record }) {
    if (record !== null && "conversations_memory" in record) return 'has the field "conversations_memory"';
    const hasEntry = text.split("\n").some((line) => saved.test(withoutBullet(line.trim())));
    return hasEntry ? 'has lines such as "[2025-03-01] - ..."' : null;
  },
  read: (source) => (isJson(source.head) ? readExport(source) : readList(source)),
};

async function* readList({ stream }: Source): AsyncGenerator<Entry> {
  for await (const each of readTextLines(stream)) {
    const { line } = each;
    if ("fault" in each) {
      yield each;
      continue;
    }
    const text = each.text.trim();
    if (text === "" || /^(#|```|~~~)/.test(text)) continue;
    const item = withoutBullet(text);
    const isEntry = saved.test(item) || isListItem(text);
    yield isEntry
      ? { line, memory: { content: item.replace(saved, ""), ...savedOn(item) } }
      : { line, skipped: "is not an entry of the list" };
  }
}

/** A remark instead of a date says that the date is not known. */
function savedOn(item: string): Pick<FoundMemory, "origins"> {
  const [, date = ""] = saved.exec(item) ?? [];
  return /^\d{4}/.test(date) ? saidAt(date) : {};
}

async function* readExport(source: Source): AsyncGenerator<Entry> {
  for await (const record of readJsonRecords(source)) {
    if ("value" in record) yield* toEntries(record.line, record.value);
    else yield record;
  }
}

async function* toEntries(
  line: number,
  { conversations_memory: general, project_memories: ofProjects }: JsonObject,
): AsyncGenerator<Entry> {
  if (typeof general !== "string" && !isObject(ofProjects)) {
    yield { line, fault: 'has no field "conversations_memory"' };
    return;
  }
  const texts = [general, ...(isObject(ofProjects) ? Object.values(ofProjects) : [])];
  for (const text of texts.filter((each) => typeof each === "string")) {
    for await (const block of readBlocks(linesOfText(text))) yield toMemory(line, block);
  }
}

function toMemory(line: number, block: Block): Entry {
  if (!("text" in block)) return { ...block, line };
  const { text: content, headings, parents } = block;
  const lead = leadOfHeadings([...headings, ...parents]);
  return {
    line,
    memory: { content, ...(lead !== null && { lead }), source_id: sourceIdOf("claude", content) },
  };
}
