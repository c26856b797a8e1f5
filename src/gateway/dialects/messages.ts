// Owns Anthropic Messages: where words, rules and reference are in a request, and how the provider's prompt cache stays valid.

import type { Node } from "jsonc-parser";
import type { JsonObject } from "../../json/json.ts";
import { applyEdits, type Edit } from "../../text/edits.ts";
import { toSpokenText } from "../../text/spoken-text.ts";
import { createMessagesAssembler } from "../answer/messages-answer.ts";
import { toRecorded } from "../recorded.ts";
import { itemsOf, memberOf, prependMember, replaceValue, stringOf, surround } from "./body-edits.ts";
import { requireConversation } from "./conversation.ts";
import type { Changes, Dialect } from "./dialect.ts";
import { toAnthropicError } from "./error-forms.ts";
import { appendSection, setSection } from "./memory-edits.ts";
import type { RequestBody } from "./request-body.ts";
import { findLast, findSections, hasItems, readWords, type Turn, textsOf } from "./turns.ts";

export const messagesDialect: Dialect = {
  name: "messages",
  kind: "anthropic",
  path: "/messages",

  read(body) {
    const { value, model } = body;
    requireConversation(value.messages, "messages");
    const { lastTurn, hasRules, hasReference } = look(body);
    return {
      model,
      isStream: value.stream === true,
      hasTools: hasItems(value.tools),
      choices: 1,
      lastTurn,
      ...readWords(value.messages),
      hasRules,
      hasReference,
    };
  },

  record(request) {
    const body = toRecorded(request);
    const { system, messages = [] } = body;
    const input: JsonObject = system === undefined ? { messages } : { system, messages };
    return { body, input };
  },

  change(body, { prompt }: Changes) {
    const { hasRules, hasReference } = look(body);
    const rules = prompt.rules === "" || hasRules ? null : rulesEdit(body.root, prompt.rules);
    const reference = prompt.reference === "" || hasReference ? [] : referenceEdits(body, prompt.reference);
    return {
      text: applyEdits(body.text, rules === null ? reference : [rules, ...reference]),
      hasPutRules: rules !== null,
      hasPutReference: reference.length > 0,
      // message_start and message_delta of every stream report the usage.
      removesUsageEvent: false,
    };
  },

  assemble: createMessagesAssembler,
  toError: toAnthropicError,
};

function look({ root }: RequestBody) {
  const turns = itemsOf(memberOf(root, "messages")).map(toTurn);
  const systemTexts = [
    ...textsOf(memberOf(root, "system")),
    ...turns
      .filter(({ speaker }) => speaker === "instructions")
      .flatMap(({ node }) => textsOf(memberOf(node, "content"))),
  ];
  const { lastTurn, lastOfUser } = findLast(turns);
  const contentOfUser = memberOf(lastOfUser, "content");
  const isLast = turns.at(-1)?.node === lastOfUser;
  return { lastTurn, contentOfUser, isLast, ...findSections(systemTexts, textsOf(contentOfUser)) };
}

function toTurn(node: Node): Turn {
  const role = stringOf(memberOf(node, "role"));
  if (role === "assistant") return { speaker: "assistant", node };
  if (role !== "user") return { speaker: role === "system" ? "instructions" : "tool", node };
  const blocks = itemsOf(memberOf(node, "content"));
  const isOnlyResults = blocks.some(isResult) && blocks.every((block) => isResult(block) || isAdded(block));
  return { speaker: isOnlyResults ? "tool" : "user", node };
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

/**
 * `cache_control` of the whole request asks for a breakpoint at the end of its last block, which would now be the reference: the next
 * request would not find the conversation in the cache. So the breakpoint is moved to what the client has sent: the block before.
 */
function referenceEdits(body: RequestBody, reference: string): readonly Edit[] {
  const { text, root } = body;
  const { contentOfUser: content, isLast } = look(body);
  const append = appendSection(content, reference, "text");
  if (content === null || append === null) return [];
  const automatic = memberOf(root, "cache_control");
  if (automatic?.type !== "object" || !isLast) return [append];
  const breakpoint = text.slice(automatic.offset, automatic.offset + automatic.length);
  if (content.type === "string") {
    if (content.value === "") return [append];
    const own = surround(
      content,
      '[{"type":"text","text":',
      `,"cache_control":${breakpoint}},${JSON.stringify({ type: "text", text: reference })}]`,
    );
    return [...own, replaceValue(automatic, null)];
  }
  const last = itemsOf(content).at(-1);
  if (last?.type !== "object" || (last.children?.length ?? 0) === 0) return [append];
  // A block that has a breakpoint already keeps it.
  if (memberOf(last, "cache_control") !== null) return [append, replaceValue(automatic, null)];
  const at = last.offset + 1;
  const moved = { start: at, end: at, text: `"cache_control":${breakpoint},` };
  return [moved, append, replaceValue(automatic, null)];
}
