// Tests in which order a conversation is read, and beside which words its kept memories stand.

import { expect, test } from "bun:test";
import type { AgentMemory, Origin } from "../../clients/typescript/src/generated/models.ts";
import { speakerOf, toTurns } from "../../src/console/views/conversations/turns.ts";

const conversation = "chat-1";

function memory(content: string, ...origins: Origin[]): AgentMemory {
  return {
    id: content,
    content,
    memory_type: "context",
    importance: 0.5,
    is_active: true,
    created_at: "2026-11-28T09:00:00.000Z",
    updated_at: "2026-11-28T09:00:00.000Z",
    last_accessed_at: null,
    expires_at: null,
    origins: origins.map((each) => ({ conversation, ...each })),
  };
}

const at = (minute: number, more: Origin = {}): Origin => ({
  role: "user",
  said_at: `2026-03-12T09:${String(minute).padStart(2, "0")}:00.000Z`,
  ...more,
});

/** Each turn as text: what was said, and what was kept of it. */
function read(said: readonly AgentMemory[], kept: readonly AgentMemory[], isComplete = true): string[] {
  return toTurns({ conversation, said, kept, isComplete }).map((turn) =>
    [turn.said, turn.kept].map((memories) => memories.map(({ content }) => content).join("+")).join(" | "),
  );
}

test("passages of one message are one turn, and others are not", () => {
  const said = [
    memory("a", at(1, { message: "m1" })),
    memory("b", at(1, { message: "m1" })),
    memory("c", at(1, { message: "m2" })),
    memory("d", at(2, { role: "assistant" })),
  ];
  expect(read(said, [])).toEqual(["a+b | ", "c | ", "d | "]);
});

test("what was kept stands beside its words, and otherwise where it was said", () => {
  const said = [memory("We meet at nine.", at(1)), memory("Good.", at(3)), memory("Bye.", at(5))];
  const kept = [
    memory("meet at nine.", at(1)),
    memory("not stored word for word", at(2)),
    memory("rewritten", at(5)),
    memory("said at the end", at(7)),
  ];
  expect(read(said, kept)).toEqual([
    "We meet at nine. | meet at nine.",
    " | not stored word for word",
    "Good. | ",
    "Bye. | rewritten",
    " | said at the end",
  ]);
});

test("without times and ids, the words decide", () => {
  const nobody: Origin = { role: "user" };
  const said = [
    memory("One.", nobody),
    memory("Two.", { role: "assistant" }),
    memory("Three and four.", nobody),
  ];
  expect(read(said, [memory("Three and", nobody), memory("elsewhere", nobody)])).toEqual([
    "One. | ",
    "Two. | ",
    "Three and four. | Three and",
    " | elsewhere",
  ]);
});

test("what was kept of later passages waits for them", () => {
  const kept = [memory("early", at(0)), memory("late", at(9))];
  expect(read([memory("a", at(1))], kept, false)).toEqual([" | early", "a | "]);
  expect(read([memory("a", at(1))], kept)).toEqual([" | early", "a | ", " | late"]);
  expect(read([], kept)).toEqual([" | early", " | late"]);
});

test("a passage stands where it was said first, in this conversation", () => {
  const repeated = memory("again", at(8), at(2), { ...at(0), conversation: "other" });
  const [turn] = toTurns({ conversation, said: [repeated], kept: [], isComplete: true });
  expect(turn?.origin.said_at).toBe("2026-03-12T09:02:00.000Z");
});

test("a speaker has a name, or else a role", () => {
  expect(
    [{ name: "Ana", role: "user" } as const, { role: "assistant" } as const, {}, undefined].map(speakerOf),
  ).toEqual(["Ana", "Assistant", "Unknown speaker", "Unknown speaker"]);
});
