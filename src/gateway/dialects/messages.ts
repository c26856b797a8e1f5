// Owns Anthropic Messages: where words, rules and reference are in a request.

import type { Node } from "jsonc-parser";
import type { JsonObject } from "../../platform/json/json.ts";
import type { Edit } from "../../platform/text/edits.ts";
import { toSpokenText } from "../../platform/text/spoken-text.ts";
import { createMessagesAssembler } from "../answer/messages-answer.ts";
import { toRecorded } from "../recorded.ts";
import { itemsOf, memberOf, prependMember, stringOf } from "./body-edits.ts";
import { readConversation, requireConversation } from "./conversation.ts";
import type { Changes, Dialect } from "./dialect.ts";
import { toAnthropicError } from "./error-forms.ts";
import { applySections, referenceEdits, setSection } from "./memory-edits.ts";
import type { RequestBody } from "./request-body.ts";
import { findLast, type Turn, textsOf } from "./turns.ts";

export const messagesDialect: Dialect = {
  name: "messages",
  kind: "anthropic",
  path: "/messages",

  read(body) {
    const { messages } = body.value;
    requireConversation(messages, "messages");
    const instructions = textsOf(memberOf(body.root, "system"));
    return readConversation(body, { ...look(body), messages, instructions });
  },

  record(request) {
    const body = toRecorded(request);
    const { system, messages = [] } = body;
    const input: JsonObject = system === undefined ? { messages } : { system, messages };
    return { body, input };
  },

  change(body, changes: Changes) {
    const { rules: wanted } = changes.prompt;
    const rules = wanted === "" ? null : rulesEdit(body.root, wanted);
    const sections = [
      { name: "rules" as const, edits: rules === null ? [] : [rules] },
      ...referenceEdits(look(body).turns, changes, "text"),
    ];
    return {
      ...applySections(body.text, sections),
      // message_start and message_delta of every stream report the usage.
      removesUsageEvent: false,
    };
  },

  assemble: createMessagesAssembler,
  toError: toAnthropicError,
};

function look({ root }: RequestBody) {
  const turns = itemsOf(memberOf(root, "messages")).map(toTurn);
  return { turns, ...findLast(turns) };
}

function toTurn(node: Node): Turn {
  const role = stringOf(memberOf(node, "role"));
  const content = memberOf(node, "content");
  if (role === "assistant") return { speaker: "assistant", node, content };
  if (role !== "user") return { speaker: role === "system" ? "instructions" : "tool", node, content };
  const blocks = itemsOf(content);
  const isOnlyResults = blocks.some(isResult) && blocks.every((block) => isResult(block) || isAdded(block));
  return { speaker: isOnlyResults ? "tool" : "user", node, content };
}

function isResult(block: Node): boolean {
  return stringOf(memberOf(block, "type"))?.endsWith("tool_result") === true;
}

/** A text in which the user says nothing, such as a reminder that the client has put behind results of tools. */
function isAdded(block: Node): boolean {
  const text = stringOf(memberOf(block, "text"));
  return text !== null && toSpokenText(text) === "";
}

/** A block behind the others, so that a cache breakpoint in them stays where it is. */
function rulesEdit(root: Node, rules: string): Edit | null {
  const system = memberOf(root, "system");
  return system === null ? prependMember(root, "system", rules) : setSection(system, rules, "text");
}
