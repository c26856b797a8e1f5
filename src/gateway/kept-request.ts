// Owns what the record of a request needs while its answer arrives, which may take minutes: large parts are kept compressed.

import { isObject, type Json, type JsonObject } from "../json/json.ts";
import type { RecordedRequest } from "./dialects/dialect.ts";
import { compressedMinCharacters } from "./limits.ts";

/** Gives it back, as often as it is called. */
export type KeptRequest = () => RecordedRequest;

export function keepRequest(recorded: RecordedRequest): KeptRequest {
  const text = JSON.stringify(recorded);
  if (text.length < compressedMinCharacters) return () => recorded;
  const compressed = Bun.zstdCompressSync(text, { level: 1 });
  return () => {
    const value: unknown = JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(compressed)));
    return isObject(value) ? { body: toBody(value.body), input: toInput(value.input) } : recordedNothing;
  };
}

const recordedNothing: RecordedRequest = { body: {}, input: [] };

function toBody(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function toInput(value: Json | undefined): RecordedRequest["input"] {
  return isObject(value) || Array.isArray(value) ? value : [];
}
