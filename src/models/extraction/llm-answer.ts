// Owns the form of a language model's answer, and reading it. Must never refuse a whole answer because a part of it is of no use, nor
// guess what such a part means.

import { Type } from "@sinclair/typebox";
import type { LeftOutReason } from "../../memory/extraction/extractor.ts";
import { type MemoryType, memoryTypes } from "../../memory/memory.ts";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { importanceDefault } from "../../platform/limits.ts";
import { Choice, Fields, Nullable, Timestamp } from "../../platform/schema/schema.ts";
import { fromTimestamp } from "../../platform/time/timestamp.ts";
import { ChatFailure } from "./chat-failure.ts";
import { llmItemsMax } from "./limits.ts";

/** What becomes of a statement. "keep both" adds it, too: the model says that it has seen a similar memory. */
const llmOperations = ["add", "replace", "keep both", "nothing"] as const;

/** Servers that enforce the schema generate the fields in this order: a model that quotes first makes fewer mistakes. */
const llmAnswerItem = Fields({
  evidence: Type.String({ description: "The sentence of the text that says it, word for word." }),
  operation: Choice(llmOperations, { description: "What becomes of the statement." }),
  memory: Nullable(Type.Integer({ description: "Number of the memory that it replaces; otherwise null." })),
  memory_quote: Nullable(
    Type.String({ description: "The words of that memory that are no longer true, word for word." }),
  ),
  content: Type.String({ description: "One statement, understandable without the text." }),
  memory_type: Choice(memoryTypes, { description: "Behaviour, truth, or truth for a while." }),
  importance: Type.Number({ minimum: 0, maximum: 1, description: "0 to 1." }),
  expires_at: Nullable(Timestamp({ description: "When it stops being true; null: never." })),
});

/** What is asked for. What is accepted is in `parseLlmAnswer`. */
export const llmAnswerSchema = Fields({ items: Type.Array(llmAnswerItem, { maxItems: llmItemsMax }) });

/** A statement, with quotations that nobody has checked yet. */
export interface LlmItem {
  readonly evidence: string;
  readonly content: string;
  readonly type: MemoryType;
  readonly importance: number;
  /** Milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
  /** The memory that it replaces; null: none. */
  readonly replaces: { readonly number: number | null; readonly quote: string } | null;
}

export interface LlmAnswer {
  readonly items: readonly LlmItem[];
  readonly leftOut: readonly LeftOutReason[];
  /** Whether it ends where the model wanted to. */
  readonly isComplete: boolean;
}

/**
 * Reads whatever is of use: items are the innermost JSON objects, wherever they are, so neither prose, fences and other names around them nor an
 * end in the middle hides those that are complete. Values of the wrong form that change no meaning get their default.
 * @throws ChatFailure "wrong form" if there is neither an item nor an empty list
 */
export function parseLlmAnswer(content: string): LlmAnswer {
  const whole = parse(content);
  const answer = whole === undefined ? withoutReasoning(content) : content;
  const items: LlmItem[] = [];
  const leftOut: LeftOutReason[] = [];
  let isUseful = hasEmptyList(whole) || emptyListInLines.test(answer);
  let end = 0;
  for (const { 0: text, index } of answer.matchAll(innermostObject)) {
    end = index + text.length;
    const read = readItem(text);
    if (read === "no item") continue;
    isUseful ||= read !== "wrong-form";
    if (read === "nothing") continue;
    if (read === "wrong-form") leftOut.push(read);
    else if (items.length === llmItemsMax) leftOut.push("too-many");
    else items.push(read);
  }
  if (!isUseful) throw new ChatFailure("wrong form", { details: `${leftOut.length} unusable items` });
  return { items, leftOut, isComplete: !/\{\s*"/.test(answer.slice(end)) };
}

/** Some chat templates remove the tag that opens the reasoning. */
function withoutReasoning(content: string): string {
  const opened = /^\s*<(think|thinking|reasoning)>/i.exec(content)?.[1];
  const closing = `</${opened?.toLowerCase() ?? "think"}>`;
  const end = content.toLowerCase().indexOf(closing);
  if (end >= 0) return content.slice(end + closing.length);
  return opened === undefined ? content : "";
}

/** White space around it is only that of its lines: across lines, a text of many line breaks would take minutes. */
const emptyListInLines = /^[ \t]*\[\s*\][ \t]*$/m;
/** Each text in it is passed over as a whole, so that no time is lost in going back. */
const innermostObject = /\{[^{}"]*(?:"[^"\\]*(?:\\[\s\S][^"\\]*)*"[^{}"]*)*\}/g;

function readItem(text: string): LlmItem | "wrong-form" | "nothing" | "no item" {
  const value = parse(withoutUsualFaults(text));
  if (value === undefined) return text.includes('"evidence"') ? "wrong-form" : "no item";
  if (!isObject(value)) return "no item";
  if (Object.hasOwn(value, "evidence") || Object.hasOwn(value, "operation")) return toItem(value);
  return hasEmptyList(value) ? "nothing" : "no item";
}

function hasEmptyList(value: unknown): boolean {
  return isObject(value) && Object.values(value).some((each) => Array.isArray(each) && each.length === 0);
}

/** Line breaks within texts, and a comma at the end. */
function withoutUsualFaults(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").replace(/,\s*\}$/, "}");
}

function toItem(fields: JsonObject): LlmItem | "wrong-form" | "nothing" {
  const operation = toOperation(fields.operation);
  if (operation === "nothing") return operation;
  const { evidence, content, memory_quote: quote } = fields;
  const expiresAt = toExpiry(fields.expires_at);
  const isFit = operation !== null && typeof evidence === "string" && typeof content === "string";
  if (!isFit || expiresAt === undefined) return "wrong-form";
  const importance = toNumber(fields.importance) ?? importanceDefault;
  return {
    evidence,
    content,
    type: memoryTypes.find((type) => type === fields.memory_type) ?? "fact",
    importance: importance >= 0 && importance <= 1 ? importance : importanceDefault,
    expiresAt,
    replaces:
      operation === "replace"
        ? { number: toNumber(fields.memory), quote: typeof quote === "string" ? quote : "" }
        : null,
  };
}

/** Absent: models that were trained on lists of statements leave it out. Null: another word, whose meaning would be a guess. */
function toOperation(value: unknown): (typeof llmOperations)[number] | null {
  if (value === undefined || value === null) return "add";
  const name = typeof value === "string" ? value.trim().toLowerCase().replace("_", " ") : "";
  return llmOperations.find((operation) => operation === name) ?? null;
}

/** Small models write numbers as texts. */
function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null;
}

/** A day lasts until its end. Undefined: it is no time, and without it the item would be true for ever. */
function toExpiry(value: unknown): number | null | undefined {
  if (value === undefined || value === null || value === "" || value === "null") return null;
  if (typeof value !== "string") return undefined;
  return fromTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T23:59:59Z` : value) ?? undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
