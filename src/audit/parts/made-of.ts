// Owns of which parts of which record a memory was made: the member `made_of` of the record that creates it, and the same in the row of the
// memory. Pure. Must never contain a text.

import { canonical } from "../../platform/json/hash.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { parseHeader } from "../verify/part-header.ts";
import type { StoredParts } from "../verify/part-lines.ts";
import { type EncodedPayload, encodeParts } from "./parts.ts";
import { cutMembers } from "./payload.ts";
import { parseStored, readPayload } from "./stored-payload.ts";

/** A memory that was made of a conversation. */
export interface MadeMemory {
  readonly memory: string;
  /** Id of the record that has the conversation. */
  readonly record: string;
  /** Indices of its parts, ascending; empty: the record is of version 1. */
  readonly parts: readonly number[];
}

/** A memory that a call has made of texts of an earlier record, or of its own (JSON pointers in it). */
export type MadeOfTexts = MadeMemory | (Pick<MadeMemory, "memory"> & { readonly at: readonly string[] });

/** Encodes the payload of a record that creates memories. @param id of the record. @throws as encodePayload does */
export function encodeWithSources(
  payload: JsonObject,
  id: string,
  made: readonly MadeOfTexts[],
  about: readonly string[],
  person: string | null = null,
): { readonly payload: EncodedPayload; readonly made: readonly MadeMemory[] } {
  const [first, ...others] = cutMembers(payload, about, person);
  if (first === undefined) throw new Error("a payload has a part");
  const places = [first, ...others].map(({ header }) => parseHeader(header)?.at ?? []);
  const known = made.map((each): MadeMemory => {
    if (!("at" in each)) return each;
    const parts = [...new Set(each.at.map((pointer) => partAt(places, pointer)))];
    return { memory: each.memory, record: id, parts: parts.toSorted((one, other) => one - other) };
  });
  const members: JsonObject = JSON.parse(first.text);
  const text = canonical({ ...members, made_of: known.map(toItem) });
  return { payload: encodeParts([{ ...first, text }, ...others]), made: known };
}

function toItem({ memory, record, parts }: MadeMemory): Json {
  return { memory, record, parts: [...parts] };
}

/** As the row of a memory has it. */
export function madeOfText({ record, parts }: Omit<MadeMemory, "memory">): string {
  return canonical({ record, parts: [...parts] });
}

/** The index of the part that has the value at each JSON pointer, of a payload as it is stored. Empty: it is of version 1. */
export function partsAt(stored: StoredParts, pointers: readonly string[]): number[] {
  const parsed = parseStored(stored);
  if (parsed === null) return [];
  const places = parsed.headers.map((header) => header?.at ?? []);
  return pointers.map((pointer) => partAt(places, pointer));
}

/** Ids of the memories that got their words in the call of a record, as its payload says. */
interface MemoriesOfRecord {
  readonly made: readonly string[];
  /** Those that were there before. */
  readonly updated: readonly string[];
}

export function memoriesOf(stored: StoredParts): MemoriesOfRecord {
  const payload = readPayload(stored).payload ?? "{}";
  // Most records have neither.
  if (!/"(?:made_of|extracted)":/.test(payload)) return { made: [], updated: [] };
  const { made_of, request_body: asked, response_body: answer }: JsonObject = JSON.parse(payload);
  const data = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const isDryRun = isObject(asked) && asked.dry_run === true;
  const updated = isDryRun ? [] : objectsIn(data.extracted).filter(({ action }) => action === "updated");
  const ids = (values: readonly (Json | undefined)[]) => values.filter((id) => typeof id === "string");
  return {
    made: ids(objectsIn(made_of).map(({ memory }) => memory)),
    updated: ids(updated.map(({ id }) => id)),
  };
}

/** The innermost part at or around a pointer. Part 0 is around every one. */
function partAt(places: readonly (readonly string[])[], pointer: string): number {
  let [found, length] = [0, 0];
  for (const [index, at] of places.entries()) {
    for (const place of at) {
      if (place.length <= length || (place !== pointer && !pointer.startsWith(`${place}/`))) continue;
      [found, length] = [index, place.length];
    }
  }
  return found;
}
