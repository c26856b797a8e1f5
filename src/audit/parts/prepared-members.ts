// Owns members of a payload that are made before the others, such as a request whose answer takes minutes: large ones are kept compressed,
// so that they need little memory and can be sent to another thread quickly.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import type { EncodedPayload } from "./parts.ts";
import { encodePayload } from "./payload.ts";

/** The members, or their JSON text as one zstd frame. */
export type PreparedMembers = JsonObject | Uint8Array;

/** Encodes a payload with the prepared members in it, here or in another thread. */
export type EncodePayload = (
  payload: JsonObject,
  kept: PreparedMembers,
  about: readonly string[],
  person?: string | null,
) => EncodedPayload | Promise<EncodedPayload>;

/** Said by the record of an exchange during which something was erased, because the erased text could be in them. */
export const leftOut = "the request, the memories and the answer, because of an erasure";

const compressedMinCharacters = 16 * 1024;

export function prepareMembers(members: JsonObject): PreparedMembers {
  const text = JSON.stringify(members);
  return text.length < compressedMinCharacters ? members : Bun.zstdCompressSync(text, { level: 1 });
}

export function encodeWithPrepared(
  payload: JsonObject,
  kept: PreparedMembers,
  about: readonly string[],
  person: string | null = null,
): EncodedPayload {
  return encodePayload({ ...payload, ...membersOf(kept) }, about, person);
}

function membersOf(kept: PreparedMembers): JsonObject {
  if (!(kept instanceof Uint8Array)) return kept;
  const value: unknown = JSON.parse(new TextDecoder().decode(Bun.zstdDecompressSync(kept)));
  if (!isObject(value)) throw new Error("prepared members are not an object");
  return value;
}
