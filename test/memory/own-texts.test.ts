// Proves that what this service has written itself, such as a prompt section or an export, is not extracted as if somebody had said it.

import { afterAll, expect, test } from "bun:test";
import { isObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

test.each(["text", "messages"])(
  "an extraction of %s ignores prompt sections and exported memories",
  async (form) => {
    const { key } = await app.createProject("custom");
    const call = (path: string, body: object) => app.call("POST", path, { key, body });
    await call("/v1/memories", {
      content: "We decided that releases go out on Tuesdays.",
      memory_type: "fact",
    });
    await call("/v1/memories", { content: "Always answer in complete sentences.", memory_type: "rule" });
    const injected = String((await call("/v1/memories/inject", {})).data.prompt);
    const { data } = await app.call("GET", "/v1/memories", { key });
    const exported = (Array.isArray(data.memories) ? data.memories : [])
      .map((memory) => JSON.stringify(memory))
      .join("\n");
    // Their texts are no duplicates, because nothing is there any more.
    await app.call("DELETE", "/v1/memories", { key });
    const said = "We decided that the office moves to the old mill in May.";
    const text = `${injected}\n${said}\n\n${exported}\n`;
    const body = form === "text" ? { text } : { messages: [{ role: "user", content: text }] };
    const { data: result } = await call("/v1/memories/extract", { ...body, detail: "full" });
    const contents = (Array.isArray(result.extracted) ? result.extracted.filter(isObject) : []).map(
      ({ content }) => String(content),
    );
    expect(contents).toHaveLength(1);
    expect(contents[0]).toContain("old mill");
  },
);

test("a text of which nothing is left has no memories", async () => {
  const { key } = await app.createProject("custom");
  await app.call("POST", "/v1/memories", {
    key,
    body: { content: "We ship on Fridays.", memory_type: "fact" },
  });
  const { data } = await app.call("POST", "/v1/memories/inject", { key, body: {} });
  await app.call("DELETE", "/v1/memories", { key });
  const reply = await app.call("POST", "/v1/memories/extract", { key, body: { text: String(data.prompt) } });
  expect([reply.status, reply.data.extracted]).toEqual([200, []]);
});
