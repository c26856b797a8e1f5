// Owns OpenAI Responses: where words, rules and reference are in a request. Must never change a conversation that the provider has stored.

import type { Node } from "jsonc-parser";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import type { Edit } from "../../platform/text/edits.ts";
import { createResponsesAssembler } from "../answer/responses-answer.ts";
import { toRecorded } from "../recorded.ts";
import {
  appendText,
  itemsOf,
  memberOf,
  prependItem,
  prependMember,
  replaceValue,
  stringOf,
  surround,
} from "./body-edits.ts";
import { readConversation, requireConversation } from "./conversation.ts";
import type { Changes, Dialect } from "./dialect.ts";
import { toOpenAiError } from "./error-forms.ts";
import { appendSection, applySections, referenceEdits } from "./memory-edits.ts";
import type { RequestBody } from "./request-body.ts";
import { findLast, type Speaker, type Turn, textsOf } from "./turns.ts";

/** What `input_content` of a record contains. */
const inputMembers = ["instructions", "input", "previous_response_id", "conversation", "prompt"] as const;

export const responsesDialect: Dialect = {
  name: "responses",
  kind: "openai",
  path: "/responses",

  read(body) {
    const { value } = body;
    const { input } = value;
    const isNamed = (each: unknown) => each !== undefined && each !== null;
    const isContinued = [value.previous_response_id, value.conversation].some(isNamed);
    const hasStored = isContinued || isNamed(value.prompt);
    if (typeof input !== "string" && !(hasStored && (input === undefined || input === null))) {
      requireConversation(input, "input");
    }
    const messages = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const instructions = textsOf(memberOf(body.root, "instructions"));
    return { ...readConversation(body, { ...look(body), messages, instructions }), isContinued };
  },

  record(request) {
    const body = toRecorded(request);
    const input: JsonObject = Object.fromEntries(
      inputMembers.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    );
    return { body, input };
  },

  change(body, changes: Changes) {
    const { rules: wanted } = changes.prompt;
    const rules = wanted === "" ? [] : rulesEdits(body, wanted);
    const references = referenceEdits(look(body).turns, changes, "input_text");
    return {
      ...applySections(body.text, [...references, { name: "rules", edits: rules }]),
      // The final event of every stream reports the usage.
      removesUsageEvent: false,
    };
  },

  assemble: createResponsesAssembler,
  toError: toOpenAiError,
};

function look({ root }: RequestBody) {
  const input = memberOf(root, "input");
  const isText = input?.type === "string";
  const turns = isText
    ? [{ speaker: "user" as const, node: input, content: input }]
    : itemsOf(input).map(toTurn);
  return { input, turns, ...findLast(turns) };
}

/** A message may have no type. All results of tools have types that end in the same way; all other items are the model's. */
function toTurn(node: Node): Turn {
  return { speaker: speakerOf(node), node, content: memberOf(node, "content") };
}

function speakerOf(node: Node): Speaker {
  const type = stringOf(memberOf(node, "type")) ?? "message";
  const role = stringOf(memberOf(node, "role"));
  if (type === "message") {
    if (role === "user" || role === "assistant") return role;
    return role === "system" || role === "developer" ? "instructions" : "tool";
  }
  if (type.endsWith("_output") || type === "mcp_approval_response") return "tool";
  const isSetting = ["additional_tools", "compaction_trigger", "configuration_update"].includes(type);
  return isSetting ? "instructions" : "assistant";
}

/**
 * At the end of `instructions`. Without any, they are created, except beside a stored prompt, whose own instructions they could replace:
 * then the rules are the first message of the input.
 */
function rulesEdits(body: RequestBody, rules: string): readonly Edit[] {
  const { root } = body;
  const instructions = memberOf(root, "instructions");
  if (instructions?.type === "string") return [appendText(instructions, rules)];
  const { input, turns } = look(body);
  const first = turns.findIndex(({ speaker }) => speaker !== "instructions");
  const last = first > 0 ? turns[first - 1] : undefined;
  const beforeTalk = last === undefined ? null : appendSection(last.content, rules, "input_text");
  if (beforeTalk !== null) return [beforeTalk];
  if (isObject(body.value.prompt)) return firstMessage(input, rules);
  if (instructions?.type === "null") return [replaceValue(instructions, rules)];
  return instructions === null ? [prependMember(root, "instructions", rules)] : [];
}

function firstMessage(input: Node | null, rules: string): readonly Edit[] {
  const message = { role: "developer", content: rules };
  if (input?.type === "array") return [prependItem(input, message)];
  if (input?.type !== "string") return [];
  return surround(input, `[${JSON.stringify(message)},{"role":"user","content":`, "}]");
}
