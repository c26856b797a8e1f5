// Owns the fields of the chat APIs that say who the user of an application is, read as the name of a subject. Must never put a name into a
// message.

import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { createParser } from "../../platform/schema/schema.ts";
import { subjectName } from "../../platform/schema/subject-name.ts";
import { toLabel } from "../../platform/text/label.ts";
import type { UpstreamKind } from "../upstream.ts";

function createField(...path: readonly string[]) {
  const name = path.join("/");
  const parse = createParser(Type.Object({ [name]: subjectName }));
  return { path, parse: (value: unknown) => String(parse({ [name]: value })[name]) };
}

/** In the order in which they are searched. OpenAI has replaced `user` by `safety_identifier`; clients send either. */
const fields: Readonly<Record<UpstreamKind, readonly ReturnType<typeof createField>[]>> = {
  openai: [createField("user"), createField("safety_identifier")],
  anthropic: [createField("metadata", "user_id")],
};

/** The name, canonical; null: the request names no user. @throws Refusal 1400 for what is no name */
export function readUser(kind: UpstreamKind, body: JsonObject): string | null {
  for (const { path, parse } of fields[kind]) {
    const value = path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), body);
    if (value !== undefined && value !== null) return toLabel(parse(value));
  }
  return null;
}
