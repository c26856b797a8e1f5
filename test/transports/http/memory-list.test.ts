// The list of memories over HTTP: filters by state and words, and pages by cursor.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { isObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  const memories = [
    "Deploy on Tuesday.",
    "Deploy on Friday.",
    "Call Ana.",
    "Ana likes tea.",
    "Old context.",
  ].map((content) => ({ content, memory_type: "fact", is_active: content !== "Call Ana.", tags: ["x"] }));
  const expired = { content: "Expired.", memory_type: "context", expires_at: "2020-01-01T00:00:00Z" };
  expect(
    (await app.call("POST", "/v1/memories/batch", { body: { memories: [...memories, expired] } })).data,
  ).toMatchObject({
    created: 6,
  });
});
afterAll(() => app.stop());

async function list(query: string) {
  const { data, status } = await app.call("GET", `/v1/memories?${query}`);
  expect(status).toBe(200);
  const memories = Array.isArray(data.memories) ? data.memories : [];
  return {
    contents: memories.map((memory) => (isObject(memory) ? memory.content : null)),
    pagination: data.pagination,
    next: data.next_cursor,
  };
}

test.each([
  ["is_active=false", ["Call Ana."]],
  ["expired=true", ["Expired."]],
  ["text=ana", ["Ana likes tea.", "Call Ana."]],
  ["text=ANA%20te&expired=false", ["Ana likes tea."]],
  [
    "sort_by=expires_at&sort_dir=asc&is_active=true",
    ["Expired.", "Deploy on Tuesday.", "Deploy on Friday.", "Ana likes tea.", "Old context."],
  ],
  ["sort_by=expires_at&is_active=true&tag=x&text=deploy", ["Deploy on Friday.", "Deploy on Tuesday."]],
  ["sort_by=last_accessed_at&sort_dir=asc&expired=true", ["Expired."]],
  ["text=deploy&is_active=true&tag=x&sort_dir=asc", ["Deploy on Tuesday.", "Deploy on Friday."]],
  ["text=%22OR%22%20NEAR(a%20*", []],
  ["is_active=true&expired=true&memory_type=fact", []],
])("%s", async (query, contents) => {
  expect(await list(query)).toMatchObject({
    contents,
    pagination: { page: 1, page_size: 20, total: contents.length },
    next: null,
  });
});

test("a cursor continues the list, also after a restart, and the answer says which page it is", async () => {
  const first = await list("page_size=2&sort_by=importance");
  expect(first).toMatchObject({
    contents: ["Expired.", "Old context."],
    pagination: { page: 1, total: 6, total_pages: 3 },
  });
  await app.restart();
  const second = await list(`page_size=2&sort_by=importance&cursor=${first.next}`);
  expect(second).toMatchObject({
    contents: ["Ana likes tea.", "Call Ana."],
    pagination: { page: 2, total: 6 },
  });
  const third = await list(`page_size=2&sort_by=importance&cursor=${second.next}`);
  expect(third).toMatchObject({ pagination: { page: 3, total: 6, total_pages: 3 }, next: null });
});

test("what cannot be listed is refused with what to do", async () => {
  const { next } = await list("page_size=2");
  const other = await app.createProject("pro");
  const refused = async (query: string, key?: string) => {
    const { status, message } = await app.call(
      "GET",
      `/v1/memories?${query}`,
      key === undefined ? {} : { key },
    );
    expect(status).toBe(400);
    return message;
  };
  expect(await refused("text=%21%3F")).toContain("contains no word. Send at least one letter or digit.");
  expect(await refused(`text=${"a%20".repeat(40)}`)).toContain("more than 32 words");
  expect(await refused(`cursor=${next}&page=2`)).toContain('either "cursor" or "page"');
  expect(await refused(`cursor=${next}`, other.key)).toContain("not a cursor of this list");
  expect(await refused(`cursor=${next}&expired=true`)).toContain("begin again without it");
  expect(await refused("cursor=zzz")).toContain("not a cursor of this list");
  expect(await refused("is_active=maybe")).toContain("is_active");
});
