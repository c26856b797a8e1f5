// Owns OpenAI Chat Completions: where words, rules and reference are in a request. Must never change an instruction of the application.

import type { Node } from "jsonc-parser";
import type { Edit } from "../../platform/text/edits.ts";
import { createChatAssembler } from "../answer/chat-answer.ts";
import { toRecorded } from "../recorded.ts";
import { itemsOf, memberOf, prependItem, prependMember, replaceValue, stringOf } from "./body-edits.ts";
import { readConversation, requireConversation } from "./conversation.ts";
import type { Changes, Dialect } from "./dialect.ts";
import { toOpenAiError } from "./error-forms.ts";
import { applySections, referenceEdits, setSection } from "./memory-edits.ts";
import type { RequestBody } from "./request-body.ts";
import { findLast, hasItems, type Speaker, type Turn } from "./turns.ts";

/** A message of an unknown role is read as the result of a tool: it is neither the user nor the application. */
const speakers: ReadonlyMap<string | null, Speaker> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "instructions"],
  ["developer", "instructions"],
]);

export const chatDialect: Dialect = {
  name: "chat",
  kind: "openai",
  path: "/chat/completions",

  read(body) {
    const { messages, tools, functions, n } = body.value;
    requireConversation(messages, "messages");
    return {
      ...readConversation(body, { ...look(body), messages, instructions: [] }),
      hasTools: hasItems(tools) || hasItems(functions),
      choices: typeof n === "number" && n > 1 ? n : 1,
    };
  },

  record(request) {
    const body = toRecorded(request);
    return { body, input: Array.isArray(body.messages) ? body.messages : [] };
  },

  change(body, changes: Changes) {
    const { turns } = look(body);
    const rules = changes.prompt.rules === "" ? null : rulesEdit(body, turns, changes.prompt.rules);
    const usage = changes.asksForUsage && body.value.stream === true ? usageEdit(body.root) : null;
    const sections = [
      { name: "rules" as const, edits: rules === null ? [] : [rules] },
      ...referenceEdits(turns, changes, "text"),
    ];
    return {
      ...applySections(body.text, sections, usage === null ? [] : [usage]),
      removesUsageEvent: usage !== null,
    };
  },

  assemble: ({ choices }) => createChatAssembler(choices),
  toError: toOpenAiError,
};

function look({ root }: RequestBody) {
  const turns = itemsOf(memberOf(root, "messages")).map(toTurn);
  return { turns, ...findLast(turns) };
}

function toTurn(node: Node): Turn {
  const speaker = speakers.get(stringOf(memberOf(node, "role"))) ?? "tool";
  return { speaker, node, content: memberOf(node, "content") };
}

/** At the end of the instructions in front of the conversation. Without any, the role is `system`, which all servers know. */
function rulesEdit({ root }: RequestBody, turns: readonly Turn[], rules: string): Edit | null {
  const messages = memberOf(root, "messages");
  if (messages?.type !== "array") return null;
  const first = turns.findIndex(({ speaker }) => speaker !== "instructions");
  const last = turns.at(first === -1 ? turns.length - 1 : first - 1);
  const isThere = first !== 0 && last !== undefined;
  const edit = isThere ? setSection(last.content, rules, "text") : null;
  return edit ?? prependItem(messages, { role: "system", content: rules });
}

/** `stream_options.include_usage`; null when the client has set it. */
function usageEdit(root: Node): Edit | null {
  const options = memberOf(root, "stream_options");
  if (options === null) return prependMember(root, "stream_options", { include_usage: true });
  if (options.type === "null") return replaceValue(options, { include_usage: true });
  if (options.type !== "object") return null;
  const set = memberOf(options, "include_usage");
  if (set === null) return prependMember(options, "include_usage", true);
  return set.type === "null" ? replaceValue(set, true) : null;
}
