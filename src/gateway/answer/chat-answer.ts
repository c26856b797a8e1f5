// Owns assembling an answer of OpenAI Chat Completions from its chunks or from the whole. Must never throw, whatever a server sends.

import { isObject, type Json, type JsonObject, objectsIn, textIn } from "../../platform/json/json.ts";
import { answerMaxChoices, answerMaxValues } from "../limits.ts";
import { AnswerHead } from "./answer-head.ts";
import type { AnswerAssembler, EventKind } from "./assembled.ts";
import { inOrder, partAt, TextBudget, withoutEmpty } from "./parts.ts";
import { tokensIn } from "./token-counts.ts";

interface ToolCall {
  id: string;
  type: string;
  name: string;
  /** Arguments of a function, or input of a custom tool. */
  input: string;
}

interface Choice {
  text: string;
  refusal: string;
  reasoning: string;
  transcript: string;
  finishReason: string | null;
  readonly calls: Map<number, ToolCall>;
}

const done = "[DONE]";

/**
 * The stream is final with the chunk that ends the last of the choices, because clients accept an answer without [DONE] after it.
 * @param expected the number of choices that the request asks for
 */
export function createChatAssembler(expected: number): AnswerAssembler {
  const budget = new TextBudget();
  const choices = new Map<number, Choice>();
  const head = new AnswerHead();

  const isEnded = (): boolean => {
    const ended = [...choices.values()].filter(({ finishReason }) => finishReason !== null);
    return ended.length > 0 && ended.length === choices.size && ended.length >= expected;
  };
  const takeChunk = (chunk: JsonObject): void => {
    head.takeNames(chunk);
    head.takeReports(chunk, budget);
    for (const each of objectsIn(chunk.choices)) {
      const choice = partAt(choices, each.index ?? 0, createChoice, { budget, max: answerMaxChoices });
      if (choice === null) continue;
      // The completion of a text has no message.
      const said =
        each.delta ?? each.message ?? (textIn(each.text) === null ? undefined : { content: each.text });
      if (isObject(said)) takeMessage(choice, said, budget);
      // Some servers send an empty text instead of null.
      choice.finishReason = textIn(each.finish_reason) || choice.finishReason;
    }
  };

  return {
    take({ type, data }): EventKind {
      if (data?.trim() === done) {
        head.isComplete = true;
        return "end";
      }
      const chunk = head.read(data);
      if (chunk === null) return "part";
      const wasEnded = isEnded();
      const before = budget.taken;
      takeChunk(type === "error" && !isObject(chunk.error) ? { error: chunk } : chunk);
      const isEmpty = Array.isArray(chunk.choices) && chunk.choices.length === 0;
      if (isEmpty && isObject(chunk.usage) && !isObject(chunk.error)) return "usage";
      if (wasEnded && budget.taken > before) return "continued";
      if (isEnded()) return "final";
      return type === "error" || isObject(chunk.error) ? "error" : "part";
    },

    takeWhole(text) {
      const whole = head.read(text, answerMaxValues);
      if (whole === null) return;
      takeChunk(whole);
      head.isComplete = Array.isArray(whole.choices);
    },

    answer() {
      const spoken = inOrder(choices);
      const [first] = spoken;
      const finishReason = first?.finishReason ?? null;
      const outputs = spoken.map(toOutput);
      const output: JsonObject | null = outputs.length > 1 ? { choices: outputs } : (outputs[0] ?? null);
      const text = (first?.text ?? "").toWellFormed();
      const tokens = tokensIn(head.usage, "prompt_tokens", "completion_tokens");
      head.isComplete ||= isEnded();
      return head.toAnswer({ text, output, finishReason, tokens }, budget);
    },
  };
}

function createChoice(): Choice {
  return { text: "", refusal: "", reasoning: "", transcript: "", finishReason: null, calls: new Map() };
}

function createCall(): ToolCall {
  return { id: "", type: "", name: "", input: "" };
}

function takeMessage(choice: Choice, said: JsonObject, budget: TextBudget): void {
  choice.text += takeContent(said.content, budget);
  choice.refusal += budget.take(said.refusal);
  // Two names that servers use for the same.
  choice.reasoning += budget.take(said.reasoning_content ?? said.reasoning);
  if (isObject(said.audio)) choice.transcript += budget.take(said.audio.transcript);
  for (const [at, each] of objectsIn(said.tool_calls).entries()) {
    const call = partAt(choice.calls, each.index ?? at, createCall, { budget });
    if (call !== null) takeCall(call, each, budget);
  }
  if (isObject(said.function_call)) {
    const call = partAt(choice.calls, 0, createCall, { budget });
    if (call !== null) takeCall(call, { type: "function", function: said.function_call }, budget);
  }
}

function takeCall(call: ToolCall, given: JsonObject, budget: TextBudget): void {
  if (call.id === "") call.id = budget.take(given.id);
  if (call.type === "") call.type = budget.take(given.type);
  const { function: called, custom } = given;
  if (isObject(called)) {
    call.name += budget.take(called.name);
    call.input += budget.take(called.arguments);
  }
  if (isObject(custom)) {
    call.name += budget.take(custom.name);
    call.input += budget.take(custom.input);
  }
}

/** A text, or parts with texts, as some servers send them. */
function takeContent(content: Json | undefined, budget: TextBudget): string {
  if (typeof content === "string") return budget.take(content);
  return objectsIn(content)
    .map((part) => budget.take(part.text))
    .join("");
}

function toOutput({ text, refusal, reasoning, transcript, finishReason, calls }: Choice): JsonObject {
  const tool_calls = inOrder(calls).map(({ id, type, name, input }) =>
    withoutEmpty({ id, type: type === "" ? "function" : type, name, arguments: input }),
  );
  return {
    text: text.toWellFormed(),
    ...withoutEmpty({ refusal, reasoning, transcript, tool_calls, finish_reason: finishReason }),
  };
}
