// Proves whom the calls of tools are for: the header of the connection, the key, or an argument where the key is for several subjects. No
// argument reaches a subject that the key is not for.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer";
import type { Json, JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, eras, post, rpc } from "./clients.ts";

let app: TestApp;
let keys: Record<"ofProject" | "ofOne" | "ofSeveral" | "token", string>;
beforeAll(async () => {
  app = await startTestApp();
  const create = async (subject: string) =>
    (await app.createKey(app.projectId, ["memory.read", "memory.write"], { subject })).key;
  const body = { subject: "user:1", permissions: ["memory.read", "memory.write"] };
  const { data } = await app.call("POST", "/v1/keys", { body });
  keys = {
    ofProject: (await app.createKey(app.projectId, ["memory.read", "memory.write"])).key,
    ofOne: await create("user:1"),
    ofSeveral: await create("user:*"),
    token: String(data.token),
  };
  const memories = { "user:1": "Ana eats no nuts.", "user:2": "Bo eats no fish.", admin: "Cy eats no eggs." };
  for (const [subject, content] of Object.entries(memories))
    await app.call("POST", "/v1/memories", { body: { content, memory_type: "fact", subject } });
});
afterAll(() => app.stop());

const send = async (key: string, method: string, params: JsonObject, subject?: string) => {
  // The rate of the smallest plan is less than what this test asks.
  app.passTime(1_000);
  const headers = subject === undefined ? {} : { "Memledger-Subject": subject };
  const { json, text } = await post(app.url, key, rpc(method, params), headers);
  return { result: (json.result ?? {}) as JsonObject, text };
};
const list = async (key: string, subject?: string) => {
  const { result, text } = await send(key, "tools/list", {}, subject);
  const tools = result.tools as { name: string; inputSchema: { properties: object; required?: string[] } }[];
  return { tools, text };
};
/** The text of the result, and whether it is an error. */
const call = async (key: string, name: string, args: JsonObject, subject?: string) => {
  const { result } = await send(key, "tools/call", { name, arguments: args }, subject);
  const [{ text = "" } = {}] = result.content as { text?: string }[];
  return { text, isError: result.isError === true };
};

test("only a connection whose calls have to name their subject has the argument, and it is required there", async () => {
  const { tools, text } = await list(keys.ofSeveral);
  expect(tools).toHaveLength(7);
  for (const { inputSchema } of tools) {
    expect(Object.keys(inputSchema.properties)[0]).toBe("subject");
    expect(inputSchema.required).toContain("subject");
  }
  expect(encode(text).length).toBeLessThan(1_800);
  const usual = await list(keys.ofProject);
  expect(usual.text).not.toContain("subject");
  for (const key of [keys.ofOne, keys.token]) expect((await list(key)).tools).toEqual(usual.tools);
  expect((await list(keys.ofSeveral, "user:1")).tools).toEqual(usual.tools);
});

test.each(eras)(
  "a client of %s reads and writes the memories of the subject in the argument",
  async (era) => {
    const client = await connect(app, keys.ofSeveral, era);
    const tried = await client.call("memory_search", { subject: "user:2", query: "What does Bo eat?" });
    expect(tried.text).toContain("no fish");
    expect(tried.text).not.toMatch(/nuts|eggs/);
    const content = `Bo lives in Bergen since ${era}.`;
    await client.call("memory_save", { subject: " user:2 ", content, type: "fact" });
    await client.close();
    const { data } = await app.call("GET", "/v1/memories?subject=user:2");
    expect((data.memories as JsonObject[]).map((memory): Json => memory.content ?? null)).toContain(content);
  },
);

test("a name that the key is not for, none, and what is no name are refused", async () => {
  const query = "What does she eat?";
  const search = (args: JsonObject, subject?: string) =>
    call(keys.ofSeveral, "memory_search", { query, ...args }, subject);
  for (const name of ["admin", "user", "User:1", "*"]) {
    const { text, isError } = await search({ subject: name });
    expect([isError, text]).toEqual([true, expect.stringContaining("for another subject")]);
  }
  for (const args of [{}, { subject: null }, { subject: "" }, { subject: 7 }, { subject: ["user:1"] }]) {
    const { text, isError } = await search(args);
    expect([isError, text]).toEqual([true, expect.stringContaining("subject")]);
    expect(text).not.toContain("nuts");
  }
  expect(await search({}, "admin")).toMatchObject({ isError: true });
});

test("an argument names no other subject than the header or the key, and is in no record", async () => {
  const skipped = app.countRecords(app.projectId);
  for (const [key, header] of [
    [keys.ofProject, undefined],
    [keys.ofProject, "user:2"],
    [keys.ofOne, undefined],
    [keys.token, undefined],
    [keys.ofSeveral, "user:2"],
  ] as const)
    for (const name of ["user:1", "user:2", "user:name-in-no-record"]) {
      const { text, isError } = await call(key, "memory_search", { query: "What?", subject: name }, header);
      expect([isError, text]).toEqual([true, expect.stringContaining('Argument "subject"')]);
    }
  await call(keys.ofSeveral, "memory_search", { query: "What?", subject: "user:name-in-no-record" });
  expect(JSON.stringify(app.records(app.projectId, skipped))).not.toContain("name-in-no-record");
});

test("the header and the key decide without an argument", async () => {
  const search = (key: string, header?: string) =>
    call(key, "memory_search", { query: "Who eats no nuts, fish or eggs?" }, header);
  for (const { text } of [
    await search(keys.ofOne),
    await search(keys.token),
    await search(keys.ofSeveral, "user:1"),
    await search(keys.ofProject, "user:1"),
  ]) {
    expect(text).toContain("nuts");
    expect(text).not.toMatch(/fish|eggs/);
  }
  expect((await search(keys.ofProject)).text).toBe("No memory was found.");
});

test("the resource and the prompt, which cannot name a subject, are not listed where one must be named", async () => {
  const count = async (key: string, header?: string) => {
    const { result: resources } = await send(key, "resources/list", {}, header);
    const { result: prompts } = await send(key, "prompts/list", {}, header);
    return [(resources.resources as Json[]).length, (prompts.prompts as Json[]).length];
  };
  expect(await count(keys.ofSeveral)).toEqual([0, 0]);
  expect(await count(keys.ofSeveral, "user:1")).toEqual([1, 1]);
  expect(await count(keys.ofOne)).toEqual([1, 1]);
  const { text } = await send(keys.ofSeveral, "resources/read", { uri: "memledger://rules" });
  expect(text).toContain("for several subjects");
});
