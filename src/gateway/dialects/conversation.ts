// Owns what is read of a conversation in the same way in every dialect, and the refusal of a body that has none, or one whose items are not
// objects.

import { fieldRefusal } from "../../platform/errors.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import { isConversationTask } from "./conversation-task.ts";
import type { ChatRequest, LastTurn } from "./dialect.ts";
import type { RequestBody } from "./request-body.ts";
import { findPresent, findUserTurns, hasItems, readWords, type Turn } from "./turns.ts";

/** @throws Refusal 1400 unless the value is an array of objects that is not empty */
export function requireConversation(value: Json | undefined, field: string): void {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return;
  const reason = "must be an array of messages that is not empty";
  throw fieldRefusal(field, reason);
}

interface Conversation {
  readonly turns: readonly Turn[];
  readonly lastTurn: LastTurn;
  /** In the form of chat APIs. */
  readonly messages: Json | undefined;
  /** Texts of instructions that are no messages. */
  readonly instructions: readonly string[];
}

export function readConversation(
  { value, model }: RequestBody,
  { turns, lastTurn, messages, instructions }: Conversation,
): ChatRequest {
  return {
    model,
    isStream: value.stream === true,
    hasTools: hasItems(value.tools),
    choices: 1,
    lastTurn,
    isContinued: false,
    ...readWords(messages),
    present: findPresent(turns, instructions),
    userTurns: findUserTurns(turns),
    isConversationTask: isConversationTask(turns, instructions),
  };
}
