// Owns a request for embeddings in the form of OpenAI: what is passed on, and what the own model can answer.

import { fieldRefusal } from "../platform/errors.ts";
import type { Json, JsonObject } from "../platform/json/json.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { RequestBody } from "./dialects/request-body.ts";
import { embeddedTextsMax } from "./limits.ts";
import { toRecorded } from "./recorded.ts";

/** Names of the models that are made for this service. Only the one in use can answer. */
const ownName = /^memledger-embed-v\d+$/;

/** No memory is put into texts that are embedded. */
const nothingToPutIn = {
  isStream: false,
  hasTools: false,
  choices: 1,
  lastTurn: "none",
  isContinued: false,
  userText: null,
  userAt: null,
  answeredText: null,
  query: null,
  isConversationTask: false,
  present: null,
  userTurns: [],
} as const;

export const embeddingsDialect: Pick<Dialect, "read" | "record" | "change"> = {
  read: ({ model }) => ({ model, ...nothingToPutIn }),
  record(request) {
    const body = toRecorded(request);
    return { body, input: inputOf(body) };
  },
  change: ({ text }) => ({
    text,
    put: [],
    removesUsageEvent: false,
  }),
};

function inputOf({ input = null }: JsonObject): readonly Json[] {
  return Array.isArray(input) ? input : [input];
}

export interface OwnEmbeddings {
  readonly texts: readonly string[];
  readonly isBase64: boolean;
  /** Null: those of the model. */
  readonly dimensions: number | null;
}

/** @throws Refusal 1400 */
export function readEmbeddings({ value }: RequestBody): OwnEmbeddings {
  const { input, encoding_format: format = "float", dimensions = null } = value;
  const texts = typeof input === "string" ? [input] : input;
  if (!isTexts(texts)) {
    throw fieldRefusal(
      "input",
      "must be a text or an array of texts that is not empty. Arrays of tokens are not supported",
    );
  }
  if (texts.length > embeddedTextsMax)
    throw fieldRefusal("input", `must have at most ${embeddedTextsMax} texts`);
  if (texts.some((text) => text.trim() === ""))
    throw fieldRefusal("input", "contains an empty text. Remove it");
  if (format !== "float" && format !== "base64")
    throw fieldRefusal("encoding_format", "must be float or base64");
  if (dimensions !== null && typeof dimensions !== "number")
    throw fieldRefusal("dimensions", "must be a number");
  return { texts, isBase64: format === "base64", dimensions };
}

/**
 * Whether the model of the memories is asked.
 * @param model the one in use
 * @throws Refusal 1400 for another model that is made for this service, because its vectors could not be compared with those of memories
 */
export function isOwnModel(asked: string | null, model: string): boolean {
  if (asked === model) return true;
  if (asked !== null && ownName.test(asked))
    throw fieldRefusal("model", `must be ${model}, which is the model in use`);
  return false;
}

/** @throws Refusal 1400 for a length that the vectors of the model cannot be shortened to */
export function requireDimensions(wanted: number | null, actual: number, model: string): void {
  if (wanted === null || wanted === actual) return;
  throw fieldRefusal(
    "dimensions",
    `must be ${actual}, because vectors of ${model} cannot be shortened. Leave it out`,
  );
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");
}

/** The form of an answer. Base64 is that of 32-bit floats, little-endian. */
export function toEmbeddingsAnswer(
  vectors: readonly Float32Array[],
  { isBase64, texts }: Pick<OwnEmbeddings, "isBase64" | "texts">,
  model: string,
): JsonObject {
  // The model does not say how many tokens it has read. For English, one token has about four characters.
  const tokens = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: isBase64 ? toBase64(vector) : [...vector],
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
