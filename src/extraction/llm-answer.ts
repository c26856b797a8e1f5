// Owns the form of a language model's answer, and parsing it. Returns only items of this form, whatever the model answered.

import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { isObject } from "../json/json.ts";
import { memoryTypes } from "../memory/memory.ts";
import { Choice, Fields, Nullable, Timestamp } from "../schema/schema.ts";
import { ChatFailure } from "./chat-failure.ts";
import { llmItemsMax } from "./limits.ts";

/** Servers that enforce the schema generate the fields in this order: a model that quotes first makes fewer mistakes. */
const llmAnswerItem = Fields({
  evidence: Type.String({ description: "The sentence of the text that says it, word for word." }),
  content: Type.String({ description: "One statement, understandable without the text." }),
  memory_type: Choice(memoryTypes, { description: "Behaviour, truth, or truth for a while." }),
  importance: Type.Number({ minimum: 0, maximum: 1, description: "0 to 1." }),
  expires_at: Nullable(Timestamp({ description: "When it stops being true; null: never." })),
});
export type LlmAnswerItem = Static<typeof llmAnswerItem>;

export const llmAnswerSchema = Fields({ items: Type.Array(llmAnswerItem, { maxItems: llmItemsMax }) });
const checker = TypeCompiler.Compile(llmAnswerSchema);

/**
 * The items of an answer. Unknown fields are ignored; all other fields must have the requested form.
 * @throws ChatFailure "wrong form"
 */
export function parseLlmAnswer(content: string): readonly LlmAnswerItem[] {
  const answer = withoutUnknownFields(findObject(content));
  if (checker.Check(answer)) return answer.items;
  const fault = checker.Errors(answer).First();
  // The path contains only names of the schema and numbers, because unknown fields were removed.
  throw new ChatFailure("wrong form", {
    details: fault === undefined ? "" : `${fault.path}: ${fault.message}`,
  });
}

function withoutUnknownFields(answer: unknown): unknown {
  if (!isObject(answer) || !Array.isArray(answer.items)) return null;
  return { items: answer.items.map((item) => pick(item)) };
}

function pick(item: unknown): unknown {
  if (!isObject(item)) return item;
  const known = Object.keys(llmAnswerItem.properties).filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(known.map((name) => [name, item[name]]));
}

/** The answer as JSON, or the only JSON object in it: models add code fences, explanations and their reasoning. */
function findObject(content: string): unknown {
  const whole = parse(content);
  if (whole !== undefined) return whole;
  const found = objectsIn(withoutReasoning(content));
  if (found.length !== 1) throw new ChatFailure("wrong form", { details: `${found.length} JSON objects` });
  return found[0];
}

/** Some chat templates remove the tag that opens the reasoning. */
function withoutReasoning(content: string): string {
  const opened = /^\s*<(think|thinking|reasoning)>/i.exec(content)?.[1];
  const closing = `</${opened?.toLowerCase() ?? "think"}>`;
  const end = content.toLowerCase().indexOf(closing);
  if (end >= 0) return content.slice(end + closing.length);
  return opened === undefined ? content : "";
}

/** The JSON objects in running text, found in one pass. */
function objectsIn(text: string): unknown[] {
  const found: unknown[] = [];
  let depth = 0;
  let start = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isText) {
      if (character === "\\") index += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') {
      isText = depth > 0;
    } else if (character === "{") {
      if (depth === 0) start = index;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      const value = depth === 0 ? parse(text.slice(start, index + 1)) : undefined;
      if (value !== undefined) found.push(value);
    }
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
