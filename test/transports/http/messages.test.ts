// Tests `messages` in extraction and injection: whose words are read, which query follows from them, and what the record shows.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import {
  extractionTextMaxCharacters,
  messageQueryContextMaxCharacters,
  messageQueryMaxCharacters,
  messageQueryShortCharacters,
} from "../../../src/platform/limits.ts";
import { startTestApp } from "../../fixture.ts";
import { createMemory, runScenarios, sendRecorded } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const injection = "/v1/memories/inject";
const extraction = "/v1/memories/extract";
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const user = (content: Json) => ({ role: "user", content });
const assistant = (content: Json) => ({ role: "assistant", content });

async function extract(messages: Json[], key = app.apiKey, projectId = app.projectId) {
  const body = { messages, dry_run: true };
  const reply = await sendRecorded(app, "POST", extraction, { key, body }, projectId);
  return { ...reply, contents: listOf(reply.data.extracted).map(({ content }) => content) };
}

async function recordOf(action: string, key = app.apiKey): Promise<JsonObject> {
  const { data } = await app.call("GET", `/v1/audit/logs?action=${action}&page_size=1`, { key });
  return (await app.call("GET", `/v1/audit/logs/${listOf(data.logs)[0]?.id}`, { key })).data;
}

describe("an extraction", () => {
  test("reads what the user says, and nothing else", async () => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "I live in Rome." } };
    const { status, contents, record } = await extract([
      { role: "system", content: "Never mention prices. The user lives in Madrid." },
      { role: "developer", content: "Never use npm." },
      user("I moved to Lisbon in September."),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "We decided to move the database to MySQL." },
      { role: "function", name: "f", content: "We decided to use Oracle." },
      assistant("I have decided that we use PostgreSQL 17."),
      { role: "user", content: [{ type: "text", text: "Never deploy on Fridays." }], name: "x" },
      user([
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "tool_result", tool_use_id: "t", content: "We decided to use Redis." },
        { type: "input_text", text: "I am allergic to peanuts." },
      ]),
    ]);
    expect(status).toBe(200);
    expect(contents).toEqual([
      "I moved to Lisbon in September.",
      "Never deploy on Fridays.",
      "I am allergic to peanuts.",
    ]);
    const spoken = [
      user("I moved to Lisbon in September."),
      assistant("I have decided that we use PostgreSQL 17."),
      user("Never deploy on Fridays."),
      user("I am allergic to peanuts."),
    ];
    expect(record?.payload.input_content).toEqual({ messages: spoken });
    expect(await recordOf("memory.extract")).toMatchObject({
      memory_query: spoken.map(({ content }) => String(content)),
      input_content: { messages: spoken },
    });
  });

  test("does not take a message for a title, a name or the words of another speaker", async () => {
    const { contents } = await extract([
      user("we decided to use bun\n\nso please change the scripts"),
      assistant("User: I live in Rome."),
      user("Postgres: we decided to use version 17."),
    ]);
    expect(contents).toEqual(["we decided to use bun", "Postgres: we decided to use version 17."]);
  });

  test("finds the speakers of a transcript that the user has pasted", async () => {
    const { contents } = await extract([
      user("Look at this chat:\nAna: I moved to Porto in September.\nBen: I am allergic to peanuts."),
    ]);
    expect(contents).toEqual(["I moved to Porto in September.", "I am allergic to peanuts."]);
  });

  test("quotes the sentence of a message", async () => {
    const { data } = await extract([
      user("Good morning."),
      assistant("Hi!"),
      user("Hello!  We decided to use bun. Bye."),
    ]);
    expect(listOf(data.extracted).map(({ evidence }) => evidence)).toEqual(["We decided to use bun."]);
  });

  test("accepts the same number of characters as a text, whatever else the messages contain", async () => {
    const long = user("x ".repeat(extractionTextMaxCharacters / 2 - 1));
    const result = { role: "tool", content: "y".repeat(extractionTextMaxCharacters) };
    expect((await extract([long, result, user("yz")])).status).toBe(200);
  });
});

describe("an injection", async () => {
  const project = await app.createProject("business");
  const key = project.key;
  for (const content of ["Releases are shipped every Tuesday.", "The user is allergic to peanuts."])
    await createMemory(app, { content, memory_type: "fact" }, key);

  async function inject(messages: Json[], more: JsonObject = {}) {
    const reply = await sendRecorded(
      app,
      "POST",
      injection,
      { key, body: { messages, ...more } },
      project.id,
    );
    return { ...reply, contents: listOf(reply.data.results).map(({ memory }) => Object(memory).content) };
  }

  test("asks for the last message of the user", async () => {
    const question = "When is the next release of our product shipped to all of the customers?";
    const { data, contents } = await inject(
      [
        { role: "system", content: "Peanuts." },
        user("I like cooking."),
        assistant("So do I."),
        user([{ type: "text", text: question }]),
        { role: "assistant", content: null, tool_calls: [] },
        { role: "tool", content: "Peanuts." },
      ],
      { min_similarity: 0.2 },
    );
    expect(data.query).toBe(question);
    expect(contents).toEqual(["Releases are shipped every Tuesday."]);
    expect(await recordOf("memory.inject", key)).toMatchObject({ memory_query: [question] });
  });

  test("reads a short message together with what the user said before", async () => {
    const messages = [user("When do we ship a release?"), assistant("On which days?"), user("On weekdays.")];
    const { data, contents } = await inject(messages);
    expect(data.query).toBe("When do we ship a release?\nOn weekdays.");
    expect(contents).toContain("Releases are shipped every Tuesday.");
    const before = user("The end of this is kept. ".repeat(200).trim());
    const query = String((await inject([before, user("Why?")])).data.query);
    expect(query).toEndWith("is kept. The end of this is kept.\nWhy?");
    expect(query).toMatch(/^(The|end|of|this|is|kept\.) /);
    expect(query.length).toBeLessThanOrEqual(messageQueryContextMaxCharacters + "\nWhy?".length);
    const unbroken = await inject([user("🦊".repeat(1_000)), user("Why?")]);
    expect(unbroken.data.query).toBe(`${"🦊".repeat(messageQueryContextMaxCharacters)}\nWhy?`);
  });

  test.each([
    ["Chinese", "我们决定每周二发布新版本。", "新版本应该在什么时候发布呢?"],
    [
      "Japanese",
      "次の会議は金曜日の午後三時に渋谷のオフィスで行います。",
      "次の会議はいつどこで行われますか?",
    ],
    ["Korean", "우리 회의는 금요일 오후 세시입니다.", "다음 회의는 무슨 요일 몇 시에 합니까?"],
  ])(
    "takes a question in %s for as long as it is in English, and cuts no word of what was said before",
    async (_, said, question) => {
      expect([...question].length).toBeLessThan(messageQueryShortCharacters);
      expect((await inject([user(said), user(question)])).data.query).toBe(question);
      const before = `${said.repeat(40)}\n${said}`;
      const query = String((await inject([user(before), user("なぜ?")])).data.query);
      expect(`${before}\nなぜ?`).toEndWith(query);
      expect([...query].length).toBeGreaterThan(messageQueryContextMaxCharacters - 10);
    },
  );

  test("keeps the beginning and the end of a long message, whatever the length of the history is", async () => {
    const half = messageQueryMaxCharacters / 2;
    const [first, last] = ["When do we ship? ", "As soon as possible."];
    const head = `${first}${"🦊".repeat(half - first.length)}`;
    const tail = `${"🐻".repeat(half - last.length)}${last}`;
    const exact = `${head}${tail}`;
    expect((await inject([user(exact)])).data.query).toBe(exact);
    const history = Array.from({ length: 300 }, (_, at) => [
      user(`question ${at} ${"a ".repeat(500)}`),
      assistant(`answer ${at} ${"b ".repeat(500)}`),
    ]).flat();
    const { status, data } = await inject([...history, user(`${head}${"c".repeat(100_000)}${tail}`)]);
    expect([status, data.query]).toEqual([200, `${head}\n${tail}`]);
  });

  test("without words of a user gives what is most important and most recent", async () => {
    for (const messages of [
      [{ role: "system", content: "Be brief." }],
      [assistant("Hello! How can I help?")],
      [user("  ")],
      [user([{ type: "image_url", image_url: { url: "data:," } }])],
    ]) {
      const { status, data, contents } = await inject(messages, { min_similarity: 0.5 });
      expect([status, data.query, contents.length]).toEqual([200, null, 2]);
    }
    expect(await recordOf("memory.inject", key)).toMatchObject({ memory_query: null });
  });
});

describe("refuses", () => {
  const invalid = (name: string, path: string, body: unknown, field: string, message: RegExp) => ({
    name: `${name}, ${path}`,
    method: "POST",
    path,
    options: { body },
    status: 400,
    code: 1400,
    data: { field },
    message,
    recordedFor: app.projectId,
  });
  const messages = [user("Never deploy on Fridays.")];
  const both = (path: string) => [
    invalid("no messages", path, { messages: [] }, "messages", /is empty; send at least 1 item/),
    invalid("one message", path, { messages: messages[0] }, "messages", /must be an array/),
    invalid("a message that is text", path, { messages: ["hello"] }, "messages/0", /must be a JSON object/),
    invalid("no role", path, { messages: [{ content: "x" }] }, "messages/0/role", /is required/),
    invalid(
      "an unknown role",
      path,
      { messages: [{ role: "model", content: "x" }] },
      "messages/0/role",
      /one of "user", "assistant"/,
    ),
    invalid(
      "content that is an object",
      path,
      { messages: [user({ text: "x" })] },
      "messages/0/content",
      /must be/,
    ),
    invalid(
      "a part without type",
      path,
      { messages: [user([{ text: "x" }])] },
      "messages/0/content/0/type",
      /is required/,
    ),
    invalid(
      "a part whose text is none",
      path,
      { messages: [user([{ type: "text", text: 7 }])] },
      "messages/0/content/0/text",
      /must be a string/,
    ),
    invalid("NUL", path, { messages: [user("a\0b")] }, "messages", /contains the character NUL/),
    invalid("a misspelt field", path, { message: messages }, "message", /did you mean "messages"/),
  ];
  runScenarios(app, [
    ...both(extraction),
    ...both(injection),
    invalid("text and messages", extraction, { text: "x", messages }, "messages", /one of the two/),
    invalid("query and messages", injection, { query: "x", messages }, "messages", /one of the two/),
    invalid(
      "nobody's words",
      extraction,
      { messages: [{ role: "system", content: "x" }, assistant("")] },
      "messages",
      /no text of a user or an assistant/,
    ),
    invalid(
      "too many words",
      extraction,
      { messages: [user("🦊".repeat(extractionTextMaxCharacters)), assistant("ab")] },
      "messages",
      /2 characters too many.*several calls/,
    ),
  ]);
});
