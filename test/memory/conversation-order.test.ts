// How memories of conversations stand in a prompt: together, in order, and the same words once.

import { expect, test } from "bun:test";
import { inConversationOrder, withoutRepeated } from "../../src/memory/extraction/conversation-order.ts";
import { unknownOrigin } from "../../src/memory/origin.ts";

const said = (id: string, conversation: string | null, saidAt: number | null, createdAt = 100) => ({
  id,
  passage: conversation !== null,
  subject: null,
  createdAt,
  origins: conversation === null ? [] : [{ ...unknownOrigin, conversation, saidAt }],
});

test("passages of one conversation follow the first of them, in the order in which they were said", () => {
  const ordered = inConversationOrder([
    said("c", "chat-1", 30),
    said("kept", null, null),
    said("x", "chat-2", 5),
    said("a", "chat-1", 10),
    said("late", "chat-1", null, 40),
  ]);
  expect(ordered.map(({ id }) => id)).toEqual(["a", "c", "late", "kept", "x"]);
});

test("what another memory says in the same words is left out, and a part of a word is no word", () => {
  const texts = [
    "Allergic to peanuts.",
    "Ann: allergic to PEANUTS, and carries an EpiPen",
    "The port is 543.",
    "The port is 5433.",
    "Uses C",
    "Uses C++",
    "uses c!",
    "The offset is 5.",
    "The offset is -5.",
    "我住在北京。",
    "我住在北京，喜欢茶。",
  ];
  expect(withoutRepeated(texts, (text) => text)).toEqual([
    "Ann: allergic to PEANUTS, and carries an EpiPen",
    "The port is 543.",
    "The port is 5433.",
    "Uses C",
    "Uses C++",
    "The offset is 5.",
    "The offset is -5.",
    "我住在北京，喜欢茶。",
  ]);
});
