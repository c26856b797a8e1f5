// Owns one item of the output of OpenAI Responses: a message, reasoning, a call of a tool, or another item, from its parts or as a whole.

import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { answerMaxParts } from "../limits.ts";
import { partAt, type TextBudget } from "./parts.ts";

export interface ResponseItem {
  type: string;
  /** Of a call: the id that its result names. */
  id: string;
  /** Of a called function or tool; empty for other items. */
  name: string;
  input: string;
  readonly texts: Map<number, string>;
  readonly refusals: Map<number, string>;
  /** By kind and number: summaries and texts have their own numbers. */
  readonly reasoning: Map<string, string>;
  /** An item of another type. */
  other: Json;
}

/** Items that are recorded by their texts. */
const readTypes: ReadonlySet<string> = new Set(["message", "reasoning", "function_call", "custom_tool_call"]);

export function createItem(): ResponseItem {
  const [texts, refusals] = [new Map<number, string>(), new Map<number, string>()];
  return { type: "", id: "", name: "", input: "", texts, refusals, reasoning: new Map(), other: null };
}

/** A complete item. */
export function readItem(item: JsonObject, budget: TextBudget): ResponseItem {
  const read = createItem();
  takeHead(read, item, budget);
  for (const [at, part] of objectsIn(item.content).entries()) {
    if (part.type === "output_text") addTo(read.texts, at, part.text, budget);
    if (part.type === "refusal") addTo(read.refusals, at, part.refusal, budget);
    if (part.type === "reasoning_text") addReasoning(read, `text ${at}`, part.text, budget);
  }
  for (const [at, part] of objectsIn(item.summary).entries()) {
    addReasoning(read, `summary ${at}`, part.text, budget);
  }
  read.input = budget.take(item.arguments ?? item.input);
  if (!readTypes.has(read.type)) read.other = budget.takeValue(item);
  return read;
}

/** An event about an item whose end has not been received. */
export function takeItemEvent(item: ResponseItem, type: string, event: JsonObject, budget: TextBudget): void {
  const { delta, content_index: at } = event;
  switch (type) {
    case "response.output_item.added":
      if (isObject(event.item)) takeHead(item, event.item, budget);
      break;
    case "response.output_text.delta":
      addTo(item.texts, at, delta, budget);
      break;
    case "response.refusal.delta":
      addTo(item.refusals, at, delta, budget);
      break;
    case "response.reasoning_summary_text.delta":
      addReasoning(item, `summary ${event.summary_index}`, delta, budget);
      break;
    case "response.reasoning_text.delta":
      addReasoning(item, `text ${at}`, delta, budget);
      break;
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
    case "response.mcp_call_arguments.delta":
    case "response.code_interpreter_call_code.delta":
      item.input += budget.take(delta);
      break;
  }
}

function takeHead(item: ResponseItem, given: JsonObject, budget: TextBudget): void {
  item.type = budget.take(given.type);
  item.id = budget.take(given.call_id ?? given.id);
  item.name = budget.take(given.name);
}

function addTo(
  parts: Map<number, string>,
  index: Json | undefined,
  text: Json | undefined,
  budget: TextBudget,
): void {
  const before = partAt(parts, index, () => "", { budget });
  if (before !== null && typeof index === "number") parts.set(index, before + budget.take(text));
}

function addReasoning(item: ResponseItem, key: string, text: Json | undefined, budget: TextBudget): void {
  const { reasoning } = item;
  if (reasoning.size < answerMaxParts || reasoning.has(key)) {
    reasoning.set(key, (reasoning.get(key) ?? "") + budget.take(text));
  } else budget.refuse();
}
