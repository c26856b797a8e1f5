// Owns how the turns of a conversation are found, what identifies each, and how the texts of its contents are read. Pure.

import type { Node } from "jsonc-parser";
import { type Utterance, utterancesIn } from "../../memory/extraction/messages.ts";
import { queryOf } from "../../memory/search/message-query.ts";
import { linesInPrompt, type PromptLines } from "../../memory/search/prompt.ts";
import type { Json } from "../../platform/json/json.ts";
import { toSpokenText } from "../../platform/text/spoken-text.ts";
import { userTurnsMax, wordsMaxMessages } from "../limits.ts";
import { itemsOf, memberOf, stringOf } from "./body-edits.ts";
import type { ChatRequest, LastTurn, UserTurn } from "./dialect.ts";

/** One message or item: words of the user, words or tool calls of the model, results of tools, or instructions of the application. */
export type Speaker = "user" | "assistant" | "tool" | "instructions";

export interface Turn {
  readonly speaker: Speaker;
  readonly node: Node;
  /** A string, or parts. */
  readonly content: Node | null;
}

export interface LastTurns {
  readonly lastTurn: LastTurn;
  /** The last message with words of the user; null: none. */
  readonly lastOfUser: Turn | null;
}

export function findLast(turns: readonly Turn[]): LastTurns {
  const lastOfUser = turns.findLast(({ speaker }) => speaker === "user") ?? null;
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

/**
 * The lines of memories in sections of this service. Results of tools can have facts, such as those of a tool that injects, but no rules:
 * what a tool reads somewhere cannot keep a rule out of the system prompt.
 * @param others texts of instructions that are no messages
 */
export function findPresent(turns: readonly Turn[], others: readonly string[]): PromptLines {
  const [rules, reference] = [new Set<string>(), new Set<string>()];
  const add = (text: string, canHaveRules: boolean): void => {
    const found = linesInPrompt(text);
    for (const line of found.reference) reference.add(line);
    if (canHaveRules) for (const line of found.rules) rules.add(line);
  };
  for (const text of others) add(text, true);
  for (const { speaker, node, content } of turns) {
    if (speaker === "tool") for (const text of resultsIn(node, content)) add(text, false);
    else if (speaker !== "assistant") for (const text of textsOf(content)) add(text, true);
  }
  return { rules, reference };
}

/** The texts of results: of the message, of blocks in it, and of an item with an output. */
function resultsIn(node: Node, content: Node | null): readonly string[] {
  const blocks = itemsOf(content).flatMap((block) => textsOf(memberOf(block, "content")));
  return [...textsOf(content), ...blocks, ...textsOf(memberOf(node, "output"))];
}

/** The last ones: a conversation of thousands of turns needs no more. */
export function findUserTurns(turns: readonly Turn[]): readonly UserTurn[] {
  const all = turns.filter(({ speaker }) => speaker === "user").length;
  const hasher = new Bun.CryptoHasher("sha256");
  const found: UserTurn[] = [];
  let at = 0;
  let said = "";
  for (const { speaker, content } of turns) {
    if (speaker !== "user" && speaker !== "assistant") continue;
    // Their number makes two parts of one message and two messages different.
    const texts = textsOf(content);
    said += texts.length === 0 ? "" : `${speaker} ${JSON.stringify(texts)}\n`;
    if (speaker !== "user") continue;
    if (all - at <= userTurnsMax) {
      hasher.update(said);
      said = "";
      found.push({ at, digest: hasher.copy().digest("hex") });
    }
    at += 1;
  }
  return found;
}

/**
 * What programs have added to messages, such as reminders of the client, is nobody's words, and our own sections are not either.
 * @param messages in the form of chat APIs; what is no message is skipped
 */
export function readWords(
  messages: Json | undefined,
): Pick<ChatRequest, "userText" | "userAt" | "answeredText" | "query"> {
  const words: Utterance[] = [];
  for (const each of utterancesIn(messages).toReversed()) {
    if (words.length === wordsMaxMessages) break;
    if (words.length === 0 && each.speaker !== "user") continue;
    const text = toSpokenText(each.text);
    if (text !== "") words.push({ ...each, text });
  }
  return {
    userText: words[0]?.text ?? null,
    userAt: words[0]?.at ?? null,
    answeredText: words.find(({ speaker }) => speaker === "assistant")?.text ?? null,
    query: queryOf(words.toReversed()),
  };
}

export function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
