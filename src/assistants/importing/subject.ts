// Owns whose memories those of a source are, and memories whose text does not name what they are about, such as an observation about an
// entity: a memory is read alone.

import { isObject, type JsonObject } from "../../platform/json/json.ts";

/** Subjects such as `user:42`, in the order of the names. @param names kinds of owners by the fields that have their ids */
export function ownersOf(value: JsonObject, names: Readonly<Record<string, string>>): string[] {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  return Object.entries(names).flatMap(([field, name]) => {
    const owner = value[field] ?? metadata[field];
    return typeof owner === "string" && owner.trim() !== "" ? [`${name}:${owner}`] : [];
  });
}

export function aboutSubject(subject: string, text: string): string {
  const isNamed = text.toLowerCase().includes(subject.trim().toLowerCase());
  return isNamed || subject.trim() === "" ? text : `${subject}: ${text}`;
}
