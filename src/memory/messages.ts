// Owns the messages of a conversation as chat APIs write them: their schema, and what users and assistants say in them. Instructions of
// the application (system, developer), tool calls and the results of tools are nobody's words, so they are never read.

import { Type } from "@sinclair/typebox";
import { fieldRefusal } from "../errors.ts";
import { isObject } from "../json/json.ts";
import { Choice, FreeText } from "../schema/schema.ts";

const roles = ["user", "assistant", "system", "developer", "tool", "function"] as const;
/** Of Chat Completions and Messages, and of the Responses API. */
const textParts: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

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
  },
  { additionalProperties: true, title: "Message", description: "One message. Other members are ignored." },
);

export const messages = (description: string) => Type.Array(message, { minItems: 1, description });

export interface Utterance {
  readonly speaker: "user" | "assistant";
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
    const { role, content } = each;
    if (role !== "user" && role !== "assistant") return [];
    const text = textOf(content).trim();
    return text === "" ? [] : [{ speaker: role, text, at }];
  });
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
