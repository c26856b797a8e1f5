// Owns which words of a recorded exchange are new: what the user says for the first time in its request, and the answer. Must never return
// words of an earlier request, which were new there, and never those of tools, of instructions, or of our own sections.

import type { NewWords } from "../memory/remembering/parts.ts";
import { isObject, type Json, type JsonObject } from "../platform/json/json.ts";
import { toSpokenText } from "../platform/text/spoken-text.ts";
import type { DialectName } from "./dialects/dialect.ts";
import { dialects } from "./dialects/dialects.ts";
import { readBody } from "./dialects/request-body.ts";

/** By the actions of the records. */
const dialectOf: ReadonlyMap<string, DialectName> = new Map([
  ["gateway.chat", "chat"],
  ["gateway.responses", "responses"],
  ["gateway.messages", "messages"],
]);

/**
 * The new words in the payload of a record. Of several choices the first one is the answer. Never throws: what cannot be read has no words.
 * @param action the action of the record
 */
export function readNewWords(action: string, { request_body, output_content }: JsonObject): NewWords {
  const name = dialectOf.get(action);
  if (name === undefined) return { ...nothingSaid, assistant: null };
  return { ...readUser(name, request_body), assistant: readAnswer(output_content) };
}

/** Nothing also in the middle of a tool loop: the words of the user were new in its first request. */
function readUser(name: DialectName, body: Json | undefined): Omit<NewWords, "assistant"> {
  if (!isObject(body)) return nothingSaid;
  try {
    const { lastTurn, userText: user, userAt } = dialects[name].read(readBody(JSON.stringify(body)));
    if (lastTurn !== "user" || user === null) return nothingSaid;
    return { user, userAt: `/request_body/${name === "responses" ? "input" : "messages"}/${userAt}` };
  } catch {
    // The record has less than was sent, so nobody can say what was new.
    return nothingSaid;
  }
}

const nothingSaid = { user: null, userAt: null };

function readAnswer(output: Json | undefined): string | null {
  if (!isObject(output)) return null;
  const [first = output] = Array.isArray(output.choices) ? output.choices : [];
  const { text } = isObject(first) ? first : {};
  const spoken = typeof text === "string" ? toSpokenText(text) : "";
  return spoken === "" ? null : spoken;
}
