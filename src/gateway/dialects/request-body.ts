// Owns the body of a request as text, value and tree of positions. Must never accept a text that two programs could read differently: the
// upstream reads it too, and the record says what it was told.

import type { Node } from "jsonc-parser";
import { fieldRefusal, Refusal } from "../../platform/errors.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { JsonFault, parseJson } from "../../platform/json/json-text.ts";
import { modelMaxCharacters, requestMaxDepth, requestMaxValues } from "../limits.ts";
import { readTree } from "./lazy-node.ts";

export interface RequestBody {
  readonly text: string;
  readonly value: JsonObject;
  readonly root: Node;
  readonly model: string;
}

const textDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a body, such that encoding it gives the same bytes. @throws Refusal 1415 */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return textDecoder.decode(bytes);
  } catch {
    throw new Refusal(1415, "The body is not valid UTF-8. Encode it as UTF-8.");
  }
}

/** @throws Refusal 1400 for a text that is not a JSON object with a model, has a name twice in an object, or exceeds a limit */
export function readBody(text: string): RequestBody {
  const value = readJsonBody(text);
  const model = requireModel(value.model);
  return { text, value, root: readTree(text), model };
}

/** @throws Refusal 1400 for what is no name of a model */
export function requireModel(model: Json | undefined): string {
  if (typeof model === "string" && model !== "" && model.length <= modelMaxCharacters) return model;
  const reason = `must be the name of a model, a string of 1 to ${modelMaxCharacters} characters`;
  throw fieldRefusal("model", reason);
}

/**
 * The same without a model. Numbers that a double cannot represent are accepted, because they are passed on as they are written.
 * @throws Refusal 1400
 */
export function readJsonBody(text: string): JsonObject {
  const value = parse(text);
  if (isObject(value)) return value;
  throw new Refusal(1400, 'The body is not a JSON object. Send an object with "model".');
}

function parse(text: string): unknown {
  try {
    return parseJson(text, { maxDepth: requestMaxDepth, maxValues: requestMaxValues, acceptsInexact: true });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    throw new Refusal(1400, error.describe(), field === null ? {} : { field, reason });
  }
}
