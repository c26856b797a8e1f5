// Owns which parts of the payload of a record hold a text that is to be erased: those that contain it, and those that repeat or digest it.
// Where it is not certain, a part is among them. Pure.

import { isObject, type Json, objectsIn } from "../../platform/json/json.ts";
import type { AuditRecordDetail } from "../record-schema.ts";
import type { Holding } from "../trace/traced.ts";
import type { PresentPart } from "./stored-payload.ts";

/** What is known of a record that holds the text. */
export interface HeldText {
  readonly holding: Holding;
  readonly detail: AuditRecordDetail;
  /** Whether every word of the record is looked for. */
  readonly isTarget: boolean;
  /** Whether the record is of another conversation than the one that is looked for: what was said in it is not looked for. */
  readonly isOther: boolean;
  /** The memories that are looked for and that the record names. */
  readonly memories: readonly string[];
  /** Whether a value, as JSON, has one of the texts that are looked for. */
  readonly repeats: (value: string) => boolean;
  /** Whether a value, as JSON, has what this record says that one of the memories is, also if it is too short to be looked for elsewhere. */
  readonly says: (value: string) => boolean;
}

/** @returns indices, ascending; null: the whole payload */
export function findHeldParts(parts: readonly PresentPart[], held: HeldText): readonly number[] | null {
  const { holding, detail, isTarget, isOther, memories, repeats, says } = held;
  const [first] = parts;
  // A client that appends a record chooses all of it, and it is one part.
  if (isTarget || !detail.performed || first?.index !== 0) return null;
  const others = parts.slice(1);
  if (isOther) {
    // Into the messages of a request to a model the server has put what it has found.
    const isPutIn = detail.action.startsWith("gateway.") && memories.length > 0;
    const isSought = ({ places }: PresentPart) => isPutIn || places.some(isAnswered);
    return indices(
      others.filter(
        (part) => memories.some((id) => part.text.includes(id)) || (isSought(part) && repeats(part.text)),
      ),
    );
  }
  const isAbout = aboutPlaces(held);
  const found = others.filter(
    ({ places, text }) =>
      memories.some((id) => text.includes(id)) ||
      repeats(text) ||
      places.some(isAbout) ||
      (!places.every(isItem) && says(text)),
  );
  // The parts have the text only together, unless it is one of the server's own words, which are all that the first part has.
  if (found.length === 0 && holding === "repeated" && !repeats(first.text))
    return indices(others.filter(({ places }) => places.some(isSaid)));
  const digests = found.length === 0 ? [] : others.filter(({ places }) => places.includes(digestPlace));
  return indices(others.filter((part) => found.includes(part) || digests.includes(part)));
}

function indices(parts: readonly PresentPart[]): readonly number[] {
  return parts.map(({ index }) => index);
}

/** Digests of what a model was told. Nobody can say which of them are of an erased text. */
const digestPlace = "/told";
/** What says who has sent the call, and with which markers, is about no memory. */
const isSaid = (place: string) => !/^\/(sender|metadata|on_behalf_of)(\/|$)/.test(place);
/**
 * What the server has answered, and the memories that it has told a model, have the ids of those that they are about. The query of an answer
 * is that of the request.
 */
const isAnswered = (place: string) => /^\/(response_body\/data\/(?!query$)|memory_results\/)/.test(place);
/** An item that is about a memory of its own. */
const isItem = (place: string) =>
  /^\/(response_body\/data\/\w+|memory_results|request_body\/memories)\/\d+$/.test(place);
/** What a model has answered, and the message of an error in it again. */
const isOutput = (place: string) => /^\/(error_msg|output_content|response_body)(\/|$)/.test(place);

/** The places that are about the text without containing its words or the id of its memory. */
function aboutPlaces({ holding, detail, memories }: HeldText): (place: string) => boolean {
  const { action, memory_id, response_body } = detail;
  const { id, expected_memory_id: expected, results }: { [name: string]: Json } = dataOf(response_body);
  const isNamed = (each: Json | undefined) => typeof each === "string" && memories.includes(each);
  // A call about one memory, or a new check that expects it.
  if ([memory_id, id, expected].some(isNamed)) return isSaid;
  // The text came from anything that was said.
  if (holding === "origin" || (action === "memory.extract" && memories.length > 0))
    return (place) => isSaid(place) && !isAnswered(place);
  // The answer of a model that was told the memory.
  if (action.startsWith("gateway.") && memories.length > 0) return isOutput;
  // Items of a batch that have no ids in the request.
  const items = objectsIn(results);
  const named = new Set(
    items.flatMap((item) => (isNamed(item.id) ? `/request_body/memories/${item.index}` : [])),
  );
  return (place) => named.has(place);
}

function dataOf(body: Json | undefined): { readonly [name: string]: Json } {
  return isObject(body) && isObject(body.data) ? body.data : {};
}
