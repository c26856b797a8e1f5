// Owns how the payload of a record is encoded: cut into parts of format version 2, hashed and compressed. It does not depend on the chain, so
// it can be made before the transaction and in another thread.

import { sha256 } from "../../platform/json/hash.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { partPlaces, personPlace, withSender } from "./part-choice.ts";
import { cutPayload, type EncodedPayload, encodeParts, type Part } from "./parts.ts";

/**
 * @param about pseudonyms of the subjects that every text in it is about; part 0 has no text
 * @param person as of partPlaces
 * @throws Error for values that I-JSON cannot express.
 */
export function encodePayload(
  payload: JsonObject,
  about: readonly string[] = [],
  person: string | null = null,
): EncodedPayload {
  return encodeParts(cutMembers(payload, about, person));
}

/** The parts of a payload. @throws as encodePayload does */
export function cutMembers(
  payload: JsonObject,
  about: readonly string[] = [],
  person: string | null = null,
): Part[] {
  const members = withSender(payload);
  return cutPayload(members, [], partPlaces(members, about, person));
}

/**
 * Of an appended record: one part, because its client has chosen all names in it, and one of the person, who may be another than the subject.
 * @throws as encodePayload does
 */
export function encodeAppendedPayload(
  payload: JsonObject,
  about: readonly string[] = [],
  person: string | null = null,
): EncodedPayload {
  const ofPerson = person === null ? [] : [{ at: personPlace, about: [...about, person] }];
  return encodeParts(cutPayload(withSender(payload), about, ofPerson));
}

/** Of version 1. */
export function payloadHash(salt: Uint8Array, text: string): string {
  return sha256("memledger/payload/v1\0", salt, text);
}
