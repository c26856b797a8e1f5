// Owns the memories of Letta: the memory blocks of an agent file (.af, both of its versions), and passages of the archival memory as the API
// lists them. The value of a block is Markdown: each of its paragraphs and list items is a memory.
// Sources: letta/schemas/agent_file.py, letta/serialize_schemas/pydantic_agent_schema.py and letta/schemas/passage.py in
// github.com/letta-ai/letta.

import type { JsonObject } from "../../../platform/json/json.ts";
import { type Entry, sourceIdOf } from "../entry.ts";
import { readJsonRecords } from "../json-records.ts";
import { leadOfHeadings, readBlocks } from "../markdown-blocks.ts";
import { ownersOf } from "../subject.ts";
import { linesOfText } from "../text-lines.ts";
import { described, isNothing, saidAt, tagged } from "../values.ts";
import type { ImportFormat } from "./format.ts";

/** Members of a file with memories, such as an array of passages, which has no name. */
const withMemories: readonly (string | null)[] = [null, "blocks", "core_memory", "passages", "items"];

export const letta: ImportFormat = {
  description: "agent file (.af) or archival passages of Letta",
  detect({ text, record }) {
    if (/^\s*\{\s*"agents"\s*:\s*\[/.test(text) || /^\s*\{\s*"agent_type"\s*:/.test(text))
      return "begins like an agent file";
    if (record === null) return null;
    const { text: passage, label, value } = record;
    const isPassage = typeof passage === "string" && ("archive_id" in record || "embedding_config" in record);
    if (isPassage) return 'has JSON objects with the fields "text" and "archive_id"';
    const isBlock = typeof label === "string" && typeof value === "string" && "limit" in record;
    return isBlock ? 'has JSON objects with the fields "label", "value" and "limit"' : null;
  },
  async *read(source) {
    const left = new Set<string | null>();
    for await (const record of readJsonRecords(source)) {
      const { line, member } = record;
      if (withMemories.includes(member)) {
        if ("fault" in record) yield record;
        else yield* toEntries(line, record.value);
      } else if (!left.has(member)) {
        left.add(member);
        yield { line, skipped: `begins "${member}", which are no memories` };
      }
    }
  },
};

async function* toEntries(line: number, value: JsonObject): AsyncGenerator<Entry> {
  if (typeof value.text === "string") yield toPassage(line, value, value.text);
  else if (typeof value.label !== "string" || typeof value.value !== "string")
    yield { line, fault: 'is neither a passage with "text" nor a block with "label" and "value"' };
  else if (value.value.trim() === "")
    yield { line, skipped: `is the block "${value.label}" without a value` };
  else yield* toBlock(line, value, value.label, value.value);
}

function toPassage(line: number, value: JsonObject, content: string): Entry {
  const { id, tags, metadata, created_at } = value;
  if (value.is_deleted === true) return { line, skipped: "is a passage that was deleted at its source" };
  const [subject] = ownersOf(value, { agent_id: "agent" });
  return {
    line,
    memory: {
      content,
      ...tagged(tags),
      ...(subject !== undefined && { subject }),
      ...(typeof id === "string" && { source_id: `letta:${id}` }),
      ...described(metadata ?? value.metadata_),
      ...saidAt(created_at),
    },
  };
}

/** Ids of blocks are numbers within a file, such as block-0, so they identify nothing. */
async function* toBlock(
  line: number,
  { created_at }: JsonObject,
  label: string,
  text: string,
): AsyncGenerator<Entry> {
  for await (const block of readBlocks(linesOfText(text))) {
    if (!("text" in block)) yield { ...block, line };
    else {
      const lead = leadOfHeadings([label, ...block.headings]);
      const source_id = sourceIdOf("letta", label, block.text);
      const said = isNothing(created_at) ? {} : saidAt(created_at);
      yield { line, memory: { content: block.text, ...(lead !== null && { lead }), source_id, ...said } };
    }
  }
}
