// Owns what every assembler collects of an answer besides what was said: who answered, the usage, an error, and whether all of it was
// received. Must never throw.

import { isObject, type JsonObject, textIn } from "../../platform/json/json.ts";
import { eventMaxValues } from "../limits.ts";
import type { AssembledAnswer } from "./assembled.ts";
import { readObject, type TextBudget } from "./parts.ts";

export class AnswerHead {
  isComplete = false;
  usage: JsonObject | null = null;
  error: JsonObject | null = null;
  #model: string | null = null;
  #id: string | null = null;
  #skippedEvents = 0;

  /** Null counts as an event that was not read. */
  read(text: string | null, maxValues = eventMaxValues): JsonObject | null {
    const object = readObject(text, maxValues);
    if (object === null) this.#skippedEvents += 1;
    return object;
  }

  takeNames({ model, id }: JsonObject): void {
    this.#model = textIn(model) ?? this.#model;
    this.#id = textIn(id) ?? this.#id;
  }

  takeReports({ usage, error }: JsonObject, budget: TextBudget): void {
    if (isObject(usage)) this.usage = budget.takeObject(usage);
    if (isObject(error)) this.error = budget.takeObject(error);
  }

  toAnswer(
    said: Pick<AssembledAnswer, "text" | "output" | "finishReason" | "tokens">,
    { isTruncated }: TextBudget,
  ): AssembledAnswer {
    const { isComplete, usage, error } = this;
    const skippedEvents = this.#skippedEvents;
    return {
      model: this.#model,
      id: this.#id,
      ...said,
      usage,
      error,
      isComplete,
      isTruncated,
      skippedEvents,
    };
  }
}
