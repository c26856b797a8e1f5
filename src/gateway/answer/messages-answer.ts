// Owns assembling an answer of Anthropic Messages from its events or from the whole. Must never throw, whatever a server sends.

import { isObject, type Json, type JsonObject, objectsIn, textIn } from "../../platform/json/json.ts";
import { answerMaxValues } from "../limits.ts";
import { AnswerHead } from "./answer-head.ts";
import type { AnswerAssembler, EventKind } from "./assembled.ts";
import { inOrder, partAt, TextBudget, withoutEmpty } from "./parts.ts";
import { countIn, type Tokens, toTokens } from "./token-counts.ts";

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  text: string;
  /** Input of a tool: JSON text that arrives in parts. */
  input: string;
  /** A block of another type, such as the result of a tool of the provider. */
  readonly other: Json;
}

const finalType = "message_stop";
const textTypes: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking"]);

export function createMessagesAssembler(): AnswerAssembler {
  const budget = new TextBudget();
  const blocks = new Map<number, Block>();
  const head = new AnswerHead();
  let stopReason: string | null = null;
  let refusal: Json = null;
  /** The beginning of a stream has a number of output tokens that is not the final one. */
  let isOutputCounted = false;

  /** Figures in message_delta are cumulative and replace those of message_start; null and missing ones do not. */
  const takeUsage = (given: Json | undefined): void => {
    if (!isObject(given)) return;
    const said = Object.entries(given).filter(([, value]) => value !== null);
    head.usage = budget.takeObject({ ...head.usage, ...Object.fromEntries(said) }) ?? head.usage;
  };
  const takeEnd = (given: JsonObject): void => {
    stopReason = textIn(given.stop_reason) ?? stopReason;
    if (isObject(given.stop_details)) refusal = budget.takeValue(given.stop_details);
  };
  const takeMessage = (message: JsonObject): void => {
    head.takeNames(message);
    takeUsage(message.usage);
    takeEnd(message);
    for (const [at, block] of objectsIn(message.content).entries()) {
      partAt(blocks, at, () => toBlock(block, budget), { budget });
    }
  };
  const takeEvent = (event: JsonObject): void => {
    const { type, message, index, content_block, delta } = event;
    if (type === "message_start" && isObject(message)) takeMessage(message);
    if (type === "content_block_start" && isObject(content_block)) {
      partAt(blocks, index, () => toBlock(content_block, budget), { budget });
    }
    if (type === "content_block_delta" && isObject(delta)) {
      const block = partAt(blocks, index, () => toBlock({ type: blockTypeOf(delta) }, budget), { budget });
      if (block !== null) takeDelta(block, delta, budget);
    }
    if (type === "message_delta") {
      if (isObject(delta)) takeEnd(delta);
      takeUsage(event.usage);
      if (isObject(event.usage)) isOutputCounted ||= countIn(event.usage.output_tokens) !== null;
    }
    if (type === "error" && isObject(event.error)) head.error = budget.takeObject(event.error) ?? head.error;
  };

  return {
    take({ type, data }): EventKind {
      const event = head.read(data);
      if (event !== null) takeEvent(event);
      const kind = textIn(event?.type) ?? type;
      if (kind !== finalType) return kind === "error" ? "error" : "part";
      head.isComplete = true;
      return "end";
    },

    takeWhole(text) {
      const whole = head.read(text, answerMaxValues);
      if (whole === null) return;
      if (whole.type === "error") return takeEvent(whole);
      takeMessage(whole);
      isOutputCounted = true;
      head.isComplete = Array.isArray(whole.content);
    },

    answer() {
      const said = inOrder(blocks);
      const text = textOf(said, "text");
      const isNothing = said.length === 0 && stopReason === null;
      const output = isNothing ? null : toOutput(said, { text, stopReason, refusal });
      const tokens = head.usage === null || !isOutputCounted ? null : tokensOf(head.usage);
      return head.toAnswer({ text, output, finishReason: stopReason, tokens }, budget);
    },
  };
}

function blockTypeOf(delta: JsonObject): string {
  if (delta.type === "input_json_delta") return "tool_use";
  return delta.type === "thinking_delta" || delta.type === "signature_delta" ? "thinking" : "text";
}

function toBlock(block: JsonObject, budget: TextBudget): Block {
  const type = budget.take(block.type);
  const isTool = type.endsWith("tool_use");
  // A stream begins a tool call with an empty input and then sends its text.
  const hasInput = isTool && isObject(block.input) && Object.keys(block.input).length > 0;
  return {
    type,
    id: budget.take(block.id),
    name: budget.take(block.name),
    text: budget.take(block.text ?? block.thinking),
    input: hasInput ? budget.take(JSON.stringify(block.input)) : "",
    other: isTool || textTypes.has(type) ? null : budget.takeValue(block),
  };
}

function takeDelta(
  block: Block,
  { type, text, thinking, partial_json }: JsonObject,
  budget: TextBudget,
): void {
  if (type === "text_delta") block.text += budget.take(text);
  if (type === "thinking_delta") block.text += budget.take(thinking);
  if (type === "input_json_delta") block.input += budget.take(partial_json);
}

function textOf(blocks: readonly Block[], type: string): string {
  const texts = blocks.filter((block) => block.type === type).map(({ text }) => text);
  return texts.join("").toWellFormed();
}

interface End {
  readonly text: string;
  readonly stopReason: string | null;
  readonly refusal: Json;
}

function toOutput(blocks: readonly Block[], { text, stopReason, refusal }: End): JsonObject {
  const calls = blocks.filter(({ type }) => type.endsWith("tool_use"));
  const more = withoutEmpty({
    reasoning: textOf(blocks, "thinking"),
    tool_calls: calls.map(({ id, type, name, input }) => withoutEmpty({ id, type, name, arguments: input })),
    items: blocks.flatMap(({ other }) => (other === null ? [] : [other])),
    refusal,
    finish_reason: stopReason,
  });
  return { text, ...more };
}

/** The input is what was read from the cache, written to it, and neither. */
function tokensOf(usage: JsonObject): Tokens | null {
  const { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const input = countIn(input_tokens);
  const prompt = input === null ? null : input + (countIn(read) ?? 0) + (countIn(written) ?? 0);
  return toTokens(prompt, countIn(usage.output_tokens), null);
}
