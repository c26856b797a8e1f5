// Owns how the last turn of a conversation is found, and how the texts of its contents are read. Pure.

import type { Node } from "jsonc-parser";
import type { Json } from "../../json/json.ts";
import { queryOf } from "../../memory/message-query.ts";
import { type Utterance, utterancesIn } from "../../memory/messages.ts";
import { typesInPrompt } from "../../memory/prompt.ts";
import { toSpokenText } from "../../text/spoken-text.ts";
import { wordsMaxMessages } from "../limits.ts";
import { itemsOf, memberOf, stringOf } from "./body-edits.ts";
import type { ChatRequest, LastTurn } from "./dialect.ts";

/** One message or item: words of the user, words or tool calls of the model, results of tools, or instructions of the application. */
export type Speaker = "user" | "assistant" | "tool" | "instructions";

export interface Turn {
  readonly speaker: Speaker;
  readonly node: Node;
}

export interface LastTurns {
  readonly lastTurn: LastTurn;
  /** The last message with words of the user; null: none. */
  readonly lastOfUser: Node | null;
}

export function findLast(turns: readonly Turn[]): LastTurns {
  const lastOfUser = turns.findLast(({ speaker }) => speaker === "user")?.node ?? null;
  const end = turns.findLastIndex(({ speaker }) => speaker === "user" || speaker === "tool");
  let lastTurn: LastTurn = "none";
  for (let at = end; at >= 0; at--) {
    const speaker = turns[at]?.speaker;
    if (speaker === "assistant") break;
    if (speaker === "user") return { lastTurn: "user", lastOfUser };
    if (speaker === "tool") lastTurn = "tool results";
  }
  return { lastTurn, lastOfUser };
}

/** The texts of a content: a string, or parts with a member `text`. */
export function textsOf(content: Node | null): readonly string[] {
  const whole = stringOf(content);
  if (whole !== null) return [whole];
  return itemsOf(content).flatMap((part) => stringOf(memberOf(part, "text")) ?? []);
}

/** Which sections of this service the system prompt and the last words of the user contain. Other texts are not looked at. */
export function findSections(
  systemTexts: readonly string[],
  userTexts: readonly string[],
): Pick<ChatRequest, "hasRules" | "hasReference"> {
  const inSystem = systemTexts.flatMap((text) => [...typesInPrompt(text)]);
  const inUser = userTexts.flatMap((text) => [...typesInPrompt(text)]);
  const hasReference = [...inSystem, ...inUser].some((type) => type !== "rule");
  return { hasRules: inSystem.includes("rule"), hasReference };
}

/**
 * What programs have added to messages, such as reminders of the client, is nobody's words, and our own sections are not either.
 * @param messages in the form of chat APIs; what is no message is skipped
 */
export function readWords(
  messages: Json | undefined,
): Pick<ChatRequest, "userText" | "answeredText" | "query"> {
  const words: Utterance[] = [];
  for (const { speaker, text } of utterancesIn(messages).toReversed()) {
    if (words.length === wordsMaxMessages) break;
    if (words.length === 0 && speaker !== "user") continue;
    const spoken = toSpokenText(text);
    if (spoken !== "") words.push({ speaker, text: spoken });
  }
  return {
    userText: words[0]?.text ?? null,
    answeredText: words.find(({ speaker }) => speaker === "assistant")?.text ?? null,
    query: queryOf(words.toReversed()),
  };
}

export function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
