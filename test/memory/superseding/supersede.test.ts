// Proves over HTTP what becomes of a memory when an extraction finds a newer value of its attribute: it is inactive and names the newer one,
// its history says so, and a person can activate it again.

import { afterAll, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

async function member() {
  const { key } = await app.createProject("custom");
  const call = async (method: string, path: string, body?: JsonObject) => {
    const { status, data, text } = await app.call(method, path, {
      key,
      ...(body === undefined ? {} : { body }),
    });
    if (status >= 300) throw new Error(text);
    return data;
  };
  const extract = async (text: string, more: JsonObject = {}) => {
    const { extracted } = await call("POST", "/v1/memories/extract", { text, ...more });
    return (Array.isArray(extracted) ? extracted : []).filter(isObject);
  };
  const injected = async (query: string) =>
    String((await call("POST", "/v1/memories/inject", { query, min_similarity: 0 })).prompt);
  return { call, extract, injected };
}

test("what is said later wins, and the older memory says which one has superseded it", async () => {
  const { call, extract, injected } = await member();
  const [oslo] = await extract("Ana: I live in Oslo.");
  expect(oslo).toMatchObject({ content: "Ana lives in Oslo.", action: "created" });
  const [bergen] = await extract("Ana: I moved to Bergen.");
  expect(bergen).toMatchObject({
    content: "Ana moved to Bergen.",
    action: "created",
    supersedes: [oslo?.id ?? ""],
  });
  expect(await injected("Where does Ana live?")).toContain("Ana moved to Bergen.");
  expect(await injected("Where does Ana live?")).not.toContain("Oslo");
  expect(await call("GET", `/v1/memories/${oslo?.id}`)).toMatchObject({
    is_active: false,
    superseded_by: bergen?.id ?? "",
  });
  const { events } = await call("GET", `/v1/memories/${oslo?.id}/history`);
  expect(events).toMatchObject([
    {
      kind: "changed",
      values: { is_active: false, superseded_by: bergen?.id ?? "" },
      former: { is_active: true },
    },
    { kind: "created" },
  ]);
});

test("what was superseded can become true again", async () => {
  const { extract } = await member();
  const [oslo] = await extract("Ana: I live in Oslo.");
  const [bergen] = await extract("Ana: I moved to Bergen.");
  const [again] = await extract("Ana: I live in Oslo.");
  expect(again).toMatchObject({ action: "created", supersedes: [bergen?.id ?? ""] });
  expect(again?.id).not.toBe(oslo?.id);
});

test("whoever activates a superseded memory clears the mark, unless another memory has its content", async () => {
  const { call, extract } = await member();
  const [oslo] = await extract("Ana: I live in Oslo.");
  await extract("Ana: I moved to Bergen.");
  const active = await call("PUT", `/v1/memories/${oslo?.id}`, { is_active: true });
  expect(active).toMatchObject({ is_active: true });
  expect(active.superseded_by).toBeUndefined();
  await extract("Ana: I moved to Rome.");
  await extract("Ana: I live in Oslo.");
  await expect(call("PUT", `/v1/memories/${oslo?.id}`, { is_active: true })).rejects.toThrow("2104");
});

test("two statements of one text supersede each other in their order", async () => {
  const { call, extract } = await member();
  const [oslo, bergen] = await extract("Ana: I live in Oslo.\nBen: Nice.\nAna: I moved to Bergen.");
  expect(bergen).toMatchObject({ content: "Ana moved to Bergen.", supersedes: [oslo?.id ?? ""] });
  expect(await call("GET", `/v1/memories/${oslo?.id}`)).toMatchObject({ is_active: false });
  const { events } = await call("GET", `/v1/memories/${oslo?.id}/history`);
  expect(events).toMatchObject([
    { kind: "created", values: { content: "Ana lives in Oslo.", is_active: false } },
  ]);
});

test("what was said earlier supersedes nothing, also when it is extracted later", async () => {
  const { call, extract } = await member();
  const [bergen] = await extract("[8 June 2023] Ana: I moved to Bergen.", { detail: "full" });
  const [oslo] = await extract("[8 May 2023] Ana: I live in Oslo.", { detail: "full" });
  const [paris] = await extract("[7 May 2023] Ana: I live in Paris.");
  expect([oslo?.supersedes, paris?.supersedes]).toEqual([undefined, undefined]);
  const [rome] = await extract("[8 July 2023] Ana: I moved to Rome.", { detail: "full" });
  expect(rome?.supersedes).toEqual(expect.arrayContaining([bergen?.id ?? "", oslo?.id ?? ""]));
  expect(await call("GET", `/v1/memories/${paris?.id}`)).toMatchObject({ is_active: true });
});

test("another subject, another scope, a rule and a call without comparison supersede nothing", async () => {
  const { call, extract } = await member();
  const [oslo] = await extract("Ana: I live in Oslo.");
  for (const [text, more] of [
    ["Ben: I moved to Bergen.", {}],
    ["Ana: I moved to Bergen.", { tags: ["work"] }],
    ["Ana: I moved to Paris.", { deduplicate: false }],
    ["Ana: I moved to London.", { dry_run: true }],
  ] as const) {
    await extract(text, more);
    expect(await call("GET", `/v1/memories/${oslo?.id}`)).toMatchObject({ is_active: true });
  }
});
