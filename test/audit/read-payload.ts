// Reads the payload of a record from its row, of both versions of the record format, for tests that look into a database.

import { readPayloadText } from "../../src/audit/parts/stored-payload.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";

/** Columns of audit_payload. */
export interface PayloadRow {
  readonly salt: Uint8Array;
  readonly text: Uint8Array<ArrayBuffer>;
}

export function readPayload({ salt, text }: PayloadRow): JsonObject {
  return parseObject(readPayloadText({ salt, content: Bun.zstdDecompressSync(text) }) ?? "");
}

export function parseObject(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  if (!isObject(value)) throw new Error("a record holds no object");
  return value;
}
