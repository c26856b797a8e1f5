// Owns the messages of a conversation as chat APIs write them: their schema, and what users and assistants say in them. Instructions of
// the application (system, developer), tool calls and the results of tools were said by neither, so they are never read.

import { Type } from "@sinclair/typebox";
import { fieldRefusal } from "../../platform/errors.ts";
import { isObject } from "../../platform/json/json.ts";
import { conversationIdMaxCharacters } from "../../platform/limits.ts";
import { Choice, FreeText } from "../../platform/schema/schema.ts";
import { countCharacters } from "../../platform/text/characters.ts";
import { hasControlCharacter, toLabel } from "../../platform/text/label.ts";
import { fromTimestamp } from "../../platform/time/timestamp.ts";

const roles = ["user", "assistant", "system", "developer", "tool", "function"] as const;
/** Of Chat Completions and Messages, and of the Responses API. */
const textParts: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

const shortText = `a text of 1 to ${conversationIdMaxCharacters} characters`;

/** Clients have sent members with these names before they meant anything, so no value is refused. */
function ignoredUnless(description: string, format: { readonly format?: string } = {}) {
  return Type.Optional(
    Type.Unknown({ ...format, description: `${description} Any other value is ignored.` }),
  );
}

const part = Type.Object(
  {
    type: Type.String({ description: "text; parts of other types are ignored." }),
    text: Type.Optional(FreeText({ description: "The text of a part of type text." })),
  },
  { additionalProperties: true, title: "MessagePart" },
);

const message = Type.Object(
  {
    role: Choice(roles, {
      title: "MessageRole",
      description: "Who speaks. Only messages of user and assistant are read.",
    }),
    content: Type.Optional(
      Type.Union([FreeText(), Type.Array(part), Type.Null()], {
        description: "The text, or its parts.",
      }),
    ),
    id: ignoredUnless(`Id of the message, as the client names it: ${shortText}.`),
    name: ignoredUnless(`Name of the speaker: ${shortText}.`),
    said_at: ignoredUnless("When it was said: an RFC 3339 timestamp.", { format: "date-time" }),
  },
  { additionalProperties: true, title: "Message", description: "One message. Other members are ignored." },
);

export const messages = (description: string) => Type.Array(message, { minItems: 1, description });

export interface Utterance {
  readonly speaker: "user" | "assistant";
  /** Of its message, as the client names it; null: it has none. */
  readonly id: string | null;
  /** Of the speaker; null: it is not known. */
  readonly name: string | null;
  /** Milliseconds since 1970; null: it is not known. */
  readonly saidAt: number | null;
  /** Without surrounding white space; not empty. */
  readonly text: string;
  /** Index of its message. */
  readonly at: number;
}

/** What users and assistants say, in order. Accepts any JSON, because records of refused calls hold any; what is no message is skipped. */
export function utterancesIn(given: unknown): Utterance[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((each: unknown, at) => {
    if (!isObject(each)) return [];
    const { role, content, id, name, said_at } = each;
    if (role !== "user" && role !== "assistant") return [];
    const text = textOf(content).trim();
    if (text === "") return [];
    const saidAt = typeof said_at === "string" ? fromTimestamp(said_at) : null;
    return [{ speaker: role, id: shortTextIn(id), name: shortTextIn(name), saidAt, text, at }];
  });
}

function shortTextIn(value: unknown): string | null {
  if (typeof value !== "string" || !value.isWellFormed() || hasControlCharacter(value)) return null;
  const label = toLabel(value);
  return label === "" || countCharacters(label) > conversationIdMaxCharacters ? null : label;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((each: unknown) => {
    if (!isObject(each) || !textParts.has(each.type)) return [];
    return typeof each.text === "string" ? [each.text] : [];
  });
  return texts.join("\n");
}

/**
 * The words of users and assistants in valid messages.
 * @throws Refusal 1400 for the character NUL, which a memory cannot contain
 */
export function readUtterances(given: readonly object[]): Utterance[] {
  const utterances = utterancesIn(given);
  if (utterances.some(({ text }) => text.includes("\0"))) {
    throw fieldRefusal("messages", "contains the character NUL; remove it");
  }
  return utterances;
}

/** Refuses a call with both fields. @throws Refusal 1400 */
export function requireOne(field: string, value: unknown, given: unknown): void {
  if (value === undefined || given === undefined) return;
  throw fieldRefusal("messages", `cannot be combined with "${field}"; send one of the two`);
}
