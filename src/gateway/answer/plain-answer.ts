// Owns reading an answer that is one JSON object and no conversation, such as a count of tokens. Must never throw, whatever a server sends.

import { isObject, type JsonObject, textIn } from "../../platform/json/json.ts";
import { answerMaxValues } from "../limits.ts";
import type { AnswerAssembler } from "./assembled.ts";
import { readObject, TextBudget } from "./parts.ts";
import { type Tokens, tokensIn } from "./token-counts.ts";

/** @param toOutput what the record says of it; null: nothing */
export function createPlainAssembler(toOutput: (answer: JsonObject) => JsonObject | null): AnswerAssembler {
  const budget = new TextBudget();
  let whole: JsonObject | null = null;
  let skippedEvents = 0;
  let isStream = false;
  return {
    // Nobody knows which event of another API is its final one.
    take({ data }) {
      skippedEvents += 1;
      const event = readObject(data);
      if (isObject(event?.usage) || isObject(event?.error)) whole = event;
      isStream = true;
      return "part";
    },
    takeWhole(text) {
      whole = readObject(text, answerMaxValues);
      if (whole === null) skippedEvents += 1;
    },
    answer() {
      const { model, id } = whole ?? {};
      const [usage, error] = [budget.takeValue(whole?.usage ?? null), budget.takeValue(whole?.error ?? null)];
      const output = whole === null || isObject(error) ? null : toOutput(whole);
      const kept = output === null ? null : budget.takeValue(output);
      return {
        model: textIn(model),
        id: textIn(id),
        text: "",
        output: isObject(kept) ? kept : null,
        finishReason: null,
        tokens: isObject(usage) ? tokensOf(usage) : null,
        usage: isObject(usage) ? usage : null,
        error: isObject(error) ? error : null,
        isComplete: (whole !== null || isStream) && !isObject(error),
        isTruncated: budget.isTruncated,
        skippedEvents,
      };
    },
  };
}

/** In the names of both kinds of APIs. */
function tokensOf(usage: JsonObject): Tokens | null {
  return (
    tokensIn(usage, "prompt_tokens", "completion_tokens") ?? tokensIn(usage, "input_tokens", "output_tokens")
  );
}
