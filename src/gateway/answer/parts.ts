// Owns collecting texts of an answer within one limit, and reading untrusted JSON of an upstream. Must never throw.

import { isObject, type Json, type JsonObject, readJson } from "../../platform/json/json.ts";
import { hasMoreValues } from "../../platform/json/json-text.ts";
import { answerMaxCharacters, answerMaxKeptValues, answerMaxParts, eventMaxValues } from "../limits.ts";
import { toRecordedValue } from "../recorded.ts";

/** The characters that one answer may still use. */
export class TextBudget {
  #left: number;
  #leftValues = answerMaxKeptValues;
  /** Characters that were offered, also those that did not fit. */
  #taken = 0;
  #isTruncated = false;

  constructor(maxCharacters = answerMaxCharacters) {
    this.#left = maxCharacters;
  }

  get taken(): number {
    return this.#taken;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** The beginning of the text that fits; "" for what is no string. */
  take(text: unknown): string {
    if (typeof text !== "string" || text === "") return "";
    const taken = text.slice(0, this.#left);
    this.#taken += text.length;
    this.#left -= taken.length;
    if (taken.length < text.length) this.#isTruncated = true;
    return taken;
  }

  /** The value if its JSON text fits, in the form of records; else null. */
  takeValue(value: Json): Json {
    const recorded = toRecordedValue(value);
    const [length, values] = [JSON.stringify(recorded).length, countValues(recorded)];
    if (length > this.#left || values > this.#leftValues) {
      this.#isTruncated = true;
      return null;
    }
    this.#left -= length;
    this.#leftValues -= values;
    return recorded;
  }

  /** As `takeValue`. */
  takeObject(value: JsonObject): JsonObject | null {
    const taken = this.takeValue(value);
    return isObject(taken) ? taken : null;
  }

  refuse(): void {
    this.#isTruncated = true;
  }
}

function countValues(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, item: Json) => sum + countValues(item), 1);
}

/** The part with a number, created when it does not exist; null for what is no number, or too many parts. */
export function partAt<Part>(
  parts: Map<number, Part>,
  index: unknown,
  create: () => Part,
  { budget, max = answerMaxParts }: { budget: TextBudget; max?: number },
): Part | null {
  if (typeof index !== "number" || !Number.isSafeInteger(index) || index < 0) return null;
  const found = parts.get(index);
  if (found !== undefined) return found;
  if (parts.size >= max) {
    budget.refuse();
    return null;
  }
  const part = create();
  parts.set(index, part);
  return part;
}

/** In the order of their numbers. */
export function inOrder<Part>(parts: ReadonlyMap<number, Part>): Part[] {
  return [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
}

/** Null for a text that is no JSON object, that has too many values, or that is nested too deeply. */
export function readObject(text: string | null, maxValues = eventMaxValues): JsonObject | null {
  if (text === null || hasMoreValues(text, maxValues)) return null;
  try {
    const value = readJson(text);
    return isObject(value) && isShallow(value, 128) ? value : null;
  } catch {
    return null;
  }
}

function isShallow(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return Object.values(value).every((item: Json) => isShallow(item, depth - 1));
}

/** Without empty members. */
export function withoutEmpty(members: { readonly [name: string]: Json | undefined }): JsonObject {
  const filled = Object.entries(members).flatMap(([name, value]): [string, Json][] => {
    const isEmpty =
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [[name, typeof value === "string" ? value.toWellFormed() : value]];
  });
  return Object.fromEntries(filled);
}
