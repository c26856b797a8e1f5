// Owns the form in which tools show a suggestion: what would change, and as a line of text the same.

import { Type } from "@sinclair/typebox";
import { isObject, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { Fields } from "../../platform/schema/schema.ts";

export const listedSuggestion = Fields({
  id: Type.String(),
  kind: Type.String(),
  memories: Type.Array(Fields({ id: Type.String(), content: Type.String() })),
  changes: Type.Array(Type.Object({})),
});

/** @param suggestion as the API shows it */
export function showSuggestion({
  id = null,
  kind = null,
  reason = null,
  memories,
  changes,
  outdated,
}: JsonObject): JsonObject {
  return {
    id,
    kind,
    ...(reason === null ? {} : { reason }),
    memories: objectsIn(memories).map(({ id = null, content = null }) => ({ id, content })),
    changes: objectsIn(changes).map(({ change = null, id = null, after = null }) => ({
      change,
      ...(id === null ? {} : { id }),
      ...(isObject(after) ? { after } : {}),
    })),
    ...(outdated === true ? { outdated } : {}),
  };
}

/** One line. Texts are JSON strings, so they cannot be mistaken for another line. */
export function describeSuggestion({ id, kind, reason, memories, changes, outdated }: JsonObject): string {
  const details = [
    `id ${id}`,
    ...(reason === undefined ? [] : [`reason ${JSON.stringify(reason)}`]),
    ...(outdated === true ? ["outdated"] : []),
  ];
  return `- ${kind}: ${JSON.stringify({ memories, changes })} (${details.join(", ")})`;
}
