// Proves what stands beside found passages in an injection: what was said next to them, in its place, and never instead of anything that was found.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const conversation: readonly (readonly [role: string, content: string])[] = [
  ["user", "The weather was lovely at the lake yesterday."],
  ["assistant", "Shall we order the oak table for the meeting room, or wait for the winter sale?"],
  ["user", "Yes, do that."],
  // Long, because the last words before a passage are searched with it.
  [
    "assistant",
    `The hedgehog under the shed has four young ones. ${"The order is on its way. ".repeat(12)}`.trim(),
  ],
  ["user", "Then nobody mows there until September."],
];

/** @param changes of the fields of the extraction */
async function say(subject: string, changes: JsonObject = {}): Promise<void> {
  const messages = conversation.map(([role, content], at) => ({
    role,
    content,
    said_at: `2026-03-0${at + 1}T10:00:00Z`,
  }));
  const body = { messages, conversation: "chat-1", detail: "verbatim", subject, ...changes };
  const { status } = await app.call("POST", "/v1/memories/extract", { body });
  expect(status).toBe(200);
}

const inject = async (subject: string, query: string, fields: JsonObject = {}) => {
  const body = { query, subject, top_k: 1, min_similarity: 0, rerank: "off", ...fields };
  const { status, data } = await app.call("POST", "/v1/memories/inject", { body });
  expect(status).toBe(200);
  return data;
};
const contentsIn = (prompt: unknown): string[] =>
  [...String(prompt).matchAll(/^- \([^)]*\) (".*")$/gm)].map(([, text = ""]) => String(JSON.parse(text)));
const beside = ({ neighbours = [] }: JsonObject): string[] =>
  (neighbours as { content: string }[]).map(({ content }) => content);
const hedgehog = "hedgehog under the shed has four young ones";

test("a passage has what was said before and after it, in the order of the conversation", async () => {
  await say("order");
  const data = await inject("order", hedgehog);
  expect((data.results as unknown[]).length).toBe(1);
  const said = conversation.map(([, content]) => content);
  expect(contentsIn(data.prompt)).toEqual(said.slice(2, 5));
  expect(beside(data).toSorted()).toEqual([said[2] ?? "", said[4] ?? ""].toSorted());
  const whole = await inject("order", hedgehog, { top_k: 3 });
  expect(new Set(contentsIn(whole.prompt)).size).toBe(contentsIn(whole.prompt).length);
  const places = contentsIn(whole.prompt).map((content) => said.indexOf(content));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

test("the record names them as part of what the model was told", async () => {
  await say("told");
  const { prompt } = await inject("told", hedgehog);
  const record = app.records(app.projectId).at(-1);
  const { told, response_body } = (record?.payload ?? {}) as {
    told: { memories: string[] };
    response_body: { data: { neighbours: { id: string }[] } };
  };
  expect(told.memories).toHaveLength(contentsIn(prompt).length);
  for (const { id } of response_body.data.neighbours) expect(told.memories).toContain(id);
});

test("what does not fit is left out, and nothing that was found makes room", async () => {
  await say("budget");
  const all = await inject("budget", hedgehog, { top_k: 2 });
  const found = (all.results as { memory: JsonObject }[]).map(({ memory }) => String(memory.content));
  const length = contentsIn(all.prompt).length;
  const lines = String(all.prompt)
    .split("\n")
    .filter((line) => line.startsWith("- ("));
  const of = (content: string) =>
    [...(lines.find((line) => line.includes(JSON.stringify(content))) ?? "")].length + 1;
  const exact = found.reduce((sum, content) => sum + of(content), 0);
  const tight = await inject("budget", hedgehog, { top_k: 2, max_characters: exact });
  expect(contentsIn(tight.prompt).toSorted()).toEqual(found.toSorted());
  expect(tight.neighbours).toBeUndefined();
  expect(tight.omitted).toBe(0);
  for (let budget = exact; budget <= Number(all.characters); budget += 7) {
    const data = await inject("budget", hedgehog, { top_k: 2, max_characters: budget });
    expect(Number(data.characters)).toBeLessThanOrEqual(budget);
    for (const content of found) expect(contentsIn(data.prompt)).toContain(content);
  }
  expect(length).toBeGreaterThan(found.length);
});

test("they have the tags that are asked for, and belong to the same subject", async () => {
  await say("tags", { tags: ["a"] });
  const { data } = await app.call("GET", "/v1/memories?subject=tags&text=nobody");
  const next = (data.memories as { id: string }[])[0]?.id ?? "";
  await app.call("PUT", `/v1/memories/${next}`, { body: { tags: ["b"], subject: "tags" } });
  const tagged = await inject("tags", hedgehog, { tags: ["a"] });
  expect(contentsIn(tagged.prompt)).toEqual(["Yes, do that.", conversation[3]?.[1] ?? ""]);
  await say("other", { messages: [{ role: "user", content: "My own words only, about a hedgehog." }] });
  expect(contentsIn((await inject("other", hedgehog)).prompt)).toEqual([
    "My own words only, about a hedgehog.",
  ]);
});

test("neither inactive nor deleted passages stand there, nor memories that were kept", async () => {
  await say("states");
  const idOf = async (text: string) => {
    const { data } = await app.call("GET", "/v1/memories?subject=states");
    const listed = data.memories as { id: string; content: string }[];
    return listed.find(({ content }) => content.includes(text))?.id ?? "";
  };
  const body = { is_active: false, subject: "states" };
  await app.call("PUT", `/v1/memories/${await idOf("nobody")}`, { body });
  await app.call("DELETE", `/v1/memories/${await idOf("Yes, do")}?subject=states`);
  const data = await inject("states", hedgehog);
  expect(contentsIn(data.prompt)).toEqual([conversation[1]?.[1] ?? "", conversation[3]?.[1] ?? ""]);
  await app.call("DELETE", "/v1/memories", { body: { subject: "states" } });
  await app.call("POST", "/v1/memories", {
    body: { content: `The ${hedgehog}.`, memory_type: "fact", subject: "states" },
  });
  expect((await inject("states", hedgehog)).neighbours).toBeUndefined();
});

test("without a query, and of passages without a conversation, there are none", async () => {
  await say("none", { conversation: undefined as never });
  expect((await inject("none", hedgehog)).neighbours).toBeUndefined();
  await say("important");
  const body = { subject: "important", top_k: 1 };
  expect((await app.call("POST", "/v1/memories/inject", { body })).data.neighbours).toBeUndefined();
});

test("a passage that is much less relevant than the best memory is left out, unless the call has a floor of its own", async () => {
  const weak = "The kettle is beside the window.";
  const body = { subject: "faint", conversation: "chat-1", detail: "verbatim" };
  const contents = ["The vault of the bank opens with the code word walrus.", weak];
  for (const content of contents)
    await app.call("POST", "/v1/memories/extract", {
      body: { ...body, messages: [{ role: "user", content }] },
    });
  const query = "With which code word does the vault of the bank open?";
  const resultsOf = ({ results }: JsonObject) =>
    (results as { memory: { content: string } }[]).map(({ memory }) => memory.content);
  const given = { query, subject: "faint", rerank: "off" };
  const floored = await app.call("POST", "/v1/memories/inject", { body: { ...given, min_similarity: 0 } });
  expect(resultsOf(floored.data).toSorted()).toEqual(contents.toSorted());
  const unfloored = await app.call("POST", "/v1/memories/inject", { body: given });
  expect(resultsOf(unfloored.data)).toEqual(contents.slice(0, 1));
});
