// The sets of questions of the retrieval bench: conversations with an assistant are two sets, and everyday is complete.

import { expect, test } from "bun:test";
import type { Conversation } from "../../bench/locomo.ts";
import { readEveryday, readSets, setsOf } from "../../bench/question-sets.ts";

const turn = (id: string, text: string, speaker?: string) => {
  const fields = { id, session: 1, date: "1 May 2026", text };
  return speaker === undefined ? fields : { ...fields, speaker };
};
const asked = (question: string, ...evidence: string[]) => ({
  question,
  answer: "",
  category: 2,
  evidence,
});
const friends: Conversation = {
  id: "friends",
  turns: [turn("1", "Ann: Hello")],
  questions: [asked("Who greets?", "1")],
};
const assisted: Conversation = {
  id: "assisted",
  turns: [turn("1", "I use Go.", "user"), turn("2", "Go has channels.", "assistant")],
  questions: [asked("Which language?", "1", "2"), asked("What has channels?", "2"), asked("When?", "9")],
};

test("conversations of people are one set, named after its file", () => {
  const [set, ...others] = setsOf("/somewhere/friends-dev.json", [friends]);
  expect(others).toEqual([]);
  expect(set?.name).toBe("friends");
  expect(set?.pools[0]?.memories).toEqual([{ id: "1", content: "[1 May 2026] Ann: Hello" }]);
  expect(set?.pools[0]?.questions).toEqual([
    { text: "Who greets?", kind: "2", evidence: ["1"], needsAll: false },
  ]);
});

test("conversations with an assistant are two sets, each with the questions whose evidence it has", () => {
  const shown = setsOf("assisted.json.gz", [assisted]).map(({ name, pools: [pool] }) => [
    name,
    pool?.memories.map(({ id }) => id),
    pool?.questions.map(({ text, evidence }) => [text, evidence]),
  ]);
  expect(shown).toEqual([
    ["assisted-users", ["1"], [["Which language?", ["1"]]]],
    [
      "assisted-all",
      ["1", "2"],
      [
        ["Which language?", ["1", "2"]],
        ["What has channels?", ["2"]],
      ],
    ],
  ]);
});

test("everyday has 2,000 different memories, and questions of each kind about them", () => {
  const { memories, questions } = readEveryday();
  const ids = new Set(memories.map(({ id }) => id));
  expect(new Set(memories.map(({ content }) => content)).size).toBe(2_000);
  expect(ids.size).toBe(2_000);
  expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
  const kinds = Map.groupBy(questions, ({ kind }) => kind);
  expect([...kinds.keys()].toSorted()).toEqual([
    ...["change", "direct", "identifier", "keyword", "language"],
    ...["paraphrase", "task", "twostep", "typo", "unrelated"],
  ]);
  for (const { kind, evidence } of questions) {
    expect(evidence.filter((id) => !ids.has(id))).toEqual([]);
    if (kind === "unrelated") expect(evidence).toEqual([]);
    else if (kind === "twostep") expect(evidence).toHaveLength(2);
    else expect(evidence.length).toBeGreaterThan(0);
  }
});

test("a search is judged only on questions that a memory answers", () => {
  const [set] = readSets([], ["everyday"]);
  const questions = set?.pools[0]?.questions ?? [];
  expect(questions.length).toBeGreaterThanOrEqual(200);
  expect(questions.every(({ evidence }) => evidence.length > 0)).toBe(true);
});

test("a set that is not there is named with those that are", () => {
  expect(() => readSets([], ["beam"])).toThrow("There is no set beam; there are everyday.");
});
