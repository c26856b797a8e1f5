// Owns assembling an answer of OpenAI Responses from its events or from the whole. Must never throw, whatever a server sends.

import { isObject, type Json, type JsonObject, objectsIn, textIn } from "../../platform/json/json.ts";
import { answerMaxValues } from "../limits.ts";
import { AnswerHead } from "./answer-head.ts";
import type { AnswerAssembler, EventKind } from "./assembled.ts";
import { inOrder, partAt, TextBudget, withoutEmpty } from "./parts.ts";
import { createItem, type ResponseItem, readItem, takeItemEvent } from "./response-item.ts";
import { tokensIn } from "./token-counts.ts";

const finalTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);
const done = "[DONE]";

export function createResponsesAssembler(): AnswerAssembler {
  let budget = new TextBudget();
  let items = new Map<number, ResponseItem>();
  const head = new AnswerHead();
  let status: string | null = null;
  let reason: string | null = null;

  const takeResponse = (response: JsonObject): void => {
    head.takeNames(response);
    status = textIn(response.status) ?? status;
    if (isObject(response.incomplete_details)) reason = textIn(response.incomplete_details.reason);
    head.takeReports(response, budget);
  };
  /** The whole output replaces what was collected. */
  const takeOutput = (output: Json | undefined): void => {
    const whole = objectsIn(output);
    if (whole.length === 0) return;
    budget = new TextBudget();
    items = new Map();
    for (const [at, item] of whole.entries()) {
      partAt(items, at, () => readItem(item, budget), { budget });
    }
  };
  const takeEvent = (type: string, event: JsonObject): void => {
    const { response, item, output_index } = event;
    if (isObject(response)) {
      takeResponse(response);
      if (finalTypes.has(type)) takeOutput(response.output);
    }
    if (type === "error") head.error = budget.takeObject(isObject(event.error) ? event.error : event);
    if (output_index === undefined) return;
    if (type === "response.output_item.done" && isObject(item)) {
      if (typeof output_index === "number") items.delete(output_index);
      partAt(items, output_index, () => readItem(item, budget), { budget });
      return;
    }
    const slot = partAt(items, output_index, createItem, { budget });
    if (slot !== null) takeItemEvent(slot, type, event, budget);
  };

  return {
    take({ type: name, data }): EventKind {
      if (data?.trim() === done) return "end";
      const event = head.read(data);
      const type = textIn(event?.type) ?? name ?? "";
      if (event !== null) takeEvent(type, event);
      if (!finalTypes.has(type)) return type === "error" ? "error" : "part";
      head.isComplete = true;
      return "end";
    },

    takeWhole(text) {
      const whole = head.read(text, answerMaxValues);
      if (whole === null) return;
      takeResponse(whole);
      takeOutput(whole.output);
      head.isComplete = Array.isArray(whole.output);
    },

    answer() {
      const said = inOrder(items);
      const text = said
        .flatMap(({ texts }) => inOrder(texts))
        .join("")
        .toWellFormed();
      const finishReason = reason ?? status;
      const output = said.length === 0 ? null : toOutput(said, text, finishReason);
      const tokens = tokensIn(head.usage, "input_tokens", "output_tokens");
      return head.toAnswer({ text, output, finishReason, tokens }, budget);
    },
  };
}

function toOutput(items: readonly ResponseItem[], text: string, finishReason: string | null): JsonObject {
  const calls = items.filter(({ type }) => type.endsWith("_call") && type !== "");
  const own = calls.filter(({ name }) => name !== "");
  const more = withoutEmpty({
    refusal: items.flatMap(({ refusals }) => inOrder(refusals)).join(""),
    reasoning: items.flatMap(({ reasoning }) => [...reasoning.values()]).join("\n"),
    tool_calls: own.map(({ type, id, name, input }) => withoutEmpty({ id, type, name, arguments: input })),
    items: items.flatMap(({ other }) => (other === null ? [] : [other])),
    finish_reason: finishReason,
  });
  return { text, ...more };
}
