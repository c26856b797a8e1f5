// Tests which bulk deletions are events of a memory that an extraction has made: those of its origin.

import { expect, test } from "bun:test";
import { completeEvents } from "../../src/audit/complete-events.ts";
import { bulkDeletionEvent, toMemoryEvent } from "../../src/audit/memory-events.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";

const id = "019a2b3c4d5e7f708192a3b4c5d6e7f8";

function eventOf(action: string, data: JsonObject, previousValues?: JsonObject) {
  const bodies = { request_body: {}, response_body: { data }, memory_results: null };
  const detail = { action, memory_id: null, is_success: true, ...bodies };
  const event = toMemoryEvent({ detail, previousValues }, id);
  if (event === null) throw new Error("the record does not name the memory");
  return { of: action, event, conditions: null };
}

const extracted = (item: JsonObject) =>
  eventOf("memory.extract", {
    extracted: [
      { id, action: "created", content: "It rains.", memory_type: "context", importance: 0.3, ...item },
    ],
  });
const deletion = (origin: string) => ({
  of: `delete ${origin}`,
  event: bulkDeletionEvent,
  conditions: { origin },
});
const edited = (changes: JsonObject, former: JsonObject) =>
  eventOf("memory.update", { id, content: "It rains.", memory_type: "context", ...changes }, former);
const both = [deletion("conversation"), deletion("kept")];

test.each([
  ["a passage", [extracted({ origin: "conversation" }), ...both], "delete conversation"],
  ["what is kept", [extracted({}), ...both], "delete kept"],
  [
    "a passage of another importance",
    [
      extracted({ origin: "conversation" }),
      edited({ importance: 1, origin: "conversation" }, { importance: 0.3 }),
      ...both,
    ],
    "delete conversation",
  ],
  [
    "a passage that was edited",
    [
      extracted({ origin: "conversation" }),
      edited({ content: "It snows." }, { content: "It rains." }),
      ...both,
    ],
    "delete kept",
  ],
  [
    "a passage that became a fact",
    [
      extracted({ origin: "conversation" }),
      edited({ memory_type: "fact" }, { memory_type: "context" }),
      ...both,
    ],
    "delete kept",
  ],
])("%s", (_, records, expected) => {
  const deletions = completeEvents(records).filter(({ event }) => event.kind === "deleted");
  expect(deletions.map(({ of }) => of)).toEqual([expected]);
});
