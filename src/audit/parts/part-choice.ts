// Owns the choice of the values of a payload of version 2 that become parts of their own, for the records of all operations of the server.
// What is not listed here becomes a part, so that no text that somebody chose stays in part 0. Must never make a
// pointer of a name that the API does not define, because a pointer stays after an erasure.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { partMaxCount } from "../verify/entry-version-2.ts";
import type { Place } from "./parts.ts";

/** Members of a payload that have only what the server made, whatever was asked. Numbers, booleans and null need no name. */
const madeByServer: ReadonlySet<string> = new Set([
  "administration_key_id",
  "cause",
  "deleted_memories",
  "deleted_memory",
  "erased",
  "injection",
  "left_out",
  "made_of",
  "memory",
  "outcome",
  "performed_for",
  "redacted",
  "redacted_parts",
  "remembering",
  "remembers",
  "repeats",
  "session_id",
  "sign_in_link",
  "suggestions",
  "token_id",
  "transport",
]);

/** Members of `data` of an answer, and of an item in it, with the same property: an id, a time, a number or one of a few words in every answer. */
export const madeInAnswers: ReadonlySet<string> = new Set([
  "created_at",
  "expires_at",
  "export_id",
  "id",
  "index",
  "last_accessed_at",
  "memory_type",
  "origin",
  "pagination",
  "status",
  "superseded_by",
  "updated_at",
]);

/**
 * A request, and what it says again. Each is a part around the parts of its items, also if it is only an array, so that equal items are
 * equally deep and become one part.
 */
const saidMembers: ReadonlySet<string> = new Set(["/input_content", "/request_body"]);

/** Arrays in them whose items may be about different subjects. Other names may be the caller's own. */
const saidArrays = ["input", "memories", "messages"] as const;

const senderMembers: readonly string[] = [
  "client_name",
  "ip_address",
  "os_uid",
  "os_user",
  "sudo_user",
  "user_agent",
];

/** The payload with the members that say who has sent the call in `sender`, as version 2 has them. */
export function withSender(payload: JsonObject): JsonObject {
  if (!senderMembers.some((name) => Object.hasOwn(payload, name))) return payload;
  const isOfSender = ([name]: [string, Json]) => senderMembers.includes(name);
  const members = Object.entries(payload);
  const rest = Object.fromEntries(members.filter((member) => !isOfSender(member)));
  return { ...rest, sender: Object.fromEntries(members.filter(isOfSender)) };
}

/** The name of the person for whom the client says that it acts. */
export const personPlace = "/on_behalf_of";

/**
 * The places of the parts of a payload besides part 0, all about the subject of the call: what it says and gets is about it, whoever owns
 * the memories. Not for an appended record, whose client has chosen all names in it: its payload is part 0 alone.
 * @param person the pseudonym of the person whose name the payload has; null: it has none, or the name has no pseudonym
 */
export function partPlaces(
  payload: JsonObject,
  about: readonly string[] = [],
  person: string | null = null,
): Place[] {
  const values = membersOf("", payload, madeByServer).flatMap((member) =>
    member.at === "/response_body" && isAnswerOfServer(payload) ? membersOfAnswer(member.value) : member,
  );
  let count = 1 + values.length;
  const places = values.flatMap((value) => {
    const arrays = arraysIn(value).filter(({ items }) => {
      const fits = count + items.length <= partMaxCount;
      if (fits) count += items.length;
      return fits;
    });
    const isCut = !saidMembers.has(value.at) && arrays.some(({ at }) => at === value.at);
    const inside = arrays.flatMap(({ at, items }) => items.map((index) => `${at}/${index}`));
    return isCut ? inside : [value.at, ...inside];
  });
  const aboutPerson = person === null ? about : [...about, person];
  return places.map((at) => ({ at, about: at === personPlace ? aboutPerson : about }));
}

/** A value that becomes a part, or whose items do. */
interface ChosenValue {
  readonly at: string;
  readonly value: Json;
  /** Whether the names in it are those of answers of the server. */
  readonly isAnswer: boolean;
}

/** The members that may have a text that somebody chose. */
function membersOf(around: string, members: JsonObject, made: ReadonlySet<string>): ChosenValue[] {
  const isAnswer = made === madeInAnswers;
  return Object.entries(members).flatMap(([name, value]) =>
    made.has(name) || isWithoutText(value) ? [] : { at: `${around}/${name}`, value, isAnswer },
  );
}

function isWithoutText(value: Json): boolean {
  return typeof value === "object"
    ? value === null || Object.keys(value).length === 0
    : typeof value !== "string";
}

/** An exchange has `answer`, and the body of an upstream instead. */
function isAnswerOfServer({ answer, response_body: body }: JsonObject): boolean {
  return answer === undefined && isObject(body) && typeof body.success === "boolean";
}

/** A success has a message of one word; the message and the data of a refusal may quote the caller. */
function membersOfAnswer(body: Json): ChosenValue[] {
  if (!isObject(body)) return [];
  const { success, message = "", data = null } = body;
  const around = "/response_body/data";
  if (success === true && isObject(data)) return membersOf(around, data, madeInAnswers);
  const members = success === true ? { data } : { message, data };
  return membersOf("/response_body", members, madeInAnswers);
}

interface ItemArray {
  readonly at: string;
  /** Indices of the items that become parts. */
  readonly items: readonly number[];
}

/** The outermost arrays of objects: the value itself, or members of what was said. */
function arraysIn({ at, value, isAnswer }: ChosenValue): ItemArray[] {
  return saidMembers.has(at) && isObject(value)
    ? saidArrays.flatMap((name) => toArray(`${at}/${name}`, value[name], false))
    : toArray(at, value, isAnswer);
}

function toArray(at: string, value: Json | undefined, isAnswer: boolean): ItemArray[] {
  if (!Array.isArray(value) || !value.some(isObject)) return [];
  const items = value.flatMap((item: Json, index) => (isMadeItem(item, isAnswer) ? [] : index));
  return [{ at, items }];
}

/** In an answer, such as an id and a status for each item of a batch. */
function isMadeItem(item: Json, isAnswer: boolean): boolean {
  return isAnswer && isObject(item)
    ? Object.keys(item).every((name) => madeInAnswers.has(name))
    : isWithoutText(item);
}
