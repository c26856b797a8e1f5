// Owns what an extraction reads: a text, or the words of users and assistants in messages.

import { fieldRefusal } from "../../platform/errors.ts";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { extractionTextMaxCharacters } from "../../platform/limits.ts";
import { countCharacters } from "../../platform/text/characters.ts";
import { counted } from "../../platform/text/plural.ts";
import { withoutPrompts } from "../search/prompt.ts";
import {
  defaultDetail,
  type ExtractionDetail,
  type ExtractionSource,
  type UtteranceRange,
} from "./extractor.ts";
import { readUtterances, requireOne, type Utterance } from "./messages.ts";

/** The input of an extraction; exactly one of the two. */
interface Given {
  readonly text?: string;
  readonly messages?: readonly object[];
  /** Its name; null or absent: it is not known. */
  readonly conversation?: string | null;
  readonly detail?: ExtractionDetail;
}

/** @throws Refusal 1400 unless there is exactly one of the two, with words of a user or an assistant, and not too many of them */
export function readExtractionSource({
  text,
  messages,
  conversation: from = null,
  detail = defaultDetail,
}: Given): ExtractionSource {
  requireOne("text", text, messages);
  if (text !== undefined) return plain(withoutOwnTexts(text), detail, from);
  if (messages === undefined) throw fieldRefusal("text", "is required, unless messages are sent");
  const utterances = readUtterances(messages);
  if (utterances.length === 0) {
    throw fieldRefusal("messages", "has no text of a user or an assistant; send at least one such message");
  }
  const characters = utterances.reduce((sum, { text }) => sum + countCharacters(text), 0);
  if (characters > extractionTextMaxCharacters) {
    const excess = counted(characters - extractionTextMaxCharacters, "character");
    const reason = `has ${excess} too many in the messages of user and assistant; the maximum is ${extractionTextMaxCharacters}. Send the conversation in several calls`;
    throw fieldRefusal("messages", reason);
  }
  return joined(
    utterances.map((each) => ({ ...each, text: withoutOwnTexts(each.text) })),
    detail,
    from,
  );
}

/** Without what this service has written: prompt sections, and the lines of an export of memories. */
function withoutOwnTexts(text: string): string {
  const rest = withoutPrompts(text);
  if (!rest.includes('"memory_type"')) return rest;
  return rest
    .split("\n")
    .filter((line) => !isExportedMemory(line))
    .join("\n");
}

function isExportedMemory(line: string): boolean {
  if (!/^\s*\{.*"memory_type".*\}\s*$/.test(line)) return false;
  try {
    const memory: unknown = JSON.parse(line);
    return isObject(memory) && ["id", "content", "memory_type", "created_at"].every((name) => name in memory);
  } catch {
    return false;
  }
}

/** A text that names its speakers itself, if it has any. */
export function plain(
  text: string,
  detail: ExtractionDetail = defaultDetail,
  conversation: string | null = null,
): ExtractionSource {
  return { text, utterances: null, conversation, detail };
}

const separator = "\n\n";

function joined(
  utterances: readonly Utterance[],
  detail: ExtractionDetail,
  conversation: string | null,
): ExtractionSource {
  const ranges: UtteranceRange[] = [];
  let start = 0;
  for (const { speaker, id, name, saidAt, text } of utterances) {
    ranges.push({ speaker, id, name, saidAt, start, end: start + text.length });
    start += text.length + separator.length;
  }
  const text = utterances.map((each) => each.text).join(separator);
  return { text, utterances: ranges, conversation, detail };
}

/** A text that an extraction has read. */
export interface ReadText {
  /** Null: a text that names its speakers itself, if it has any. */
  readonly speaker: UtteranceRange["speaker"] | null;
  /** JSON pointer in the audit record, as describeInput has it. */
  readonly at: string;
}

/** Those in which a quotation is; all, if it is in none. */
export function textsWith({ text, utterances }: ExtractionSource, quotation: string): readonly ReadText[] {
  if (utterances === null) return [{ speaker: null, at: "/input_content" }];
  const all = utterances.map(({ speaker, start, end }, index) => {
    return { range: { start, end }, read: { speaker, at: `/input_content/messages/${index}` } };
  });
  const found = new Set<ReadText>();
  for (let start = text.indexOf(quotation); start !== -1; start = text.indexOf(quotation, start + 1)) {
    const end = start + quotation.length;
    for (const { range, read } of all) if (range.start < end && start < range.end) found.add(read);
  }
  return found.size === 0 ? all.map(({ read }) => read) : [...found];
}

/** `input_content` of the audit record: what the extractor has read. */
export function describeInput({ text, utterances }: ExtractionSource): JsonObject {
  if (utterances === null) return { text };
  const messages = utterances.map(({ speaker, start, end }) => ({
    role: speaker,
    content: text.slice(start, end),
  }));
  return { messages };
}
