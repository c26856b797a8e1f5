// Proves conversations through the API: which there are, what was said in them, and what is left after the erasure of one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { verifyReceipt } from "../../src/audit/verify-receipt.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import { everythingStored, payloadsIn } from "../everything-stored.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

interface Said {
  readonly role?: "user" | "assistant";
  readonly content: string;
  readonly id?: string;
  readonly name?: string;
  readonly said_at?: string;
}

/** Stores messages of a conversation. */
async function say(conversation: string, messages: readonly Said[], fields: JsonObject = {}) {
  const { key, ...body } = fields;
  const answer = await app.call("POST", "/v1/memories/extract", {
    body: {
      messages: messages.map((message) => ({ role: "user", ...message })),
      conversation,
      detail: "verbatim",
      ...body,
    },
    ...(typeof key === "string" ? { key } : {}),
  });
  expect(answer.code).toBe(1000);
  return answer.data.extracted as { id: string; content: string; action: string }[];
}

const query = (fields: Record<string, string> = {}) =>
  Object.keys(fields).length === 0 ? "" : `?${new URLSearchParams(fields)}`;
const list = async (fields: Record<string, string> = {}, key?: string) => {
  const { data } = await app.call("GET", `/v1/conversations${query(fields)}`, key ? { key } : {});
  return data as { conversations: JsonObject[]; next_cursor: string | null };
};
const namesOf = ({ conversations }: { conversations: JsonObject[] }) =>
  conversations.map(({ conversation }) => conversation);
const read = (name: string, fields: Record<string, string> = {}, key?: string) =>
  app.call("GET", `/v1/conversations/${encodeURIComponent(name)}${query(fields)}`, key ? { key } : {});
const erase = (name: string, body: JsonObject = {}, key?: string) =>
  app.call("POST", `/v1/conversations/${encodeURIComponent(name)}/erase`, {
    body,
    ...(key ? { key } : {}),
  });
const contentsOf = (memories: Json | undefined) =>
  (memories as { content: string }[]).map(({ content }) => content);

const madeOf = ({ made }: JsonObject) => made as JsonObject;

test("a conversation is listed and read as it was, with the memories that were kept of it and its records", async () => {
  await say("a/b c?", [
    { content: "Where do we meet on Friday?", id: "m1", name: "Ana", said_at: "2026-03-12T09:00:00Z" },
    { role: "assistant", content: "At the old mill.", said_at: "2026-03-12T09:00:05Z" },
  ]);
  await say("a/b c?", [{ content: "And bring the blue folder.", id: "m3", said_at: "2026-03-12T09:01:00Z" }]);
  await say(
    "a/b c?",
    [{ content: "We decided that releases go out on Tuesdays.", said_at: "2026-03-12T09:02:00Z" }],
    {
      detail: "essential",
    },
  );
  await say("other", [{ content: "Nothing in common with it.", said_at: "2026-03-13T09:00:00Z" }]);
  const { conversations } = await list();
  expect(conversations).toEqual([
    {
      conversation: "other",
      first_at: "2026-03-13T09:00:00.000Z",
      last_at: "2026-03-13T09:00:00.000Z",
      passages: 1,
      kept: 0,
    },
    {
      conversation: "a/b c?",
      first_at: "2026-03-12T09:00:00.000Z",
      last_at: "2026-03-12T09:02:00.000Z",
      passages: 3,
      kept: 1,
    },
  ]);
  const { data } = await read("a/b c?");
  expect(contentsOf(data.said)).toEqual([
    "Where do we meet on Friday?",
    "At the old mill.",
    "And bring the blue folder.",
  ]);
  expect((data.said as JsonObject[])[0]?.origins).toEqual([
    { conversation: "a/b c?", message: "m1", role: "user", name: "Ana", said_at: "2026-03-12T09:00:00.000Z" },
  ]);
  expect(contentsOf(madeOf(data).memories)).toEqual(["We decided that releases go out on Tuesdays."]);
  const records = madeOf(data).records as { id: string; action: string }[];
  expect(records.map(({ action }) => action)).toEqual(["memory.extract", "memory.extract", "memory.extract"]);
  const logs = await app.call("GET", `/v1/audit/logs${query({ conversation: "a/b c?" })}`);
  expect((logs.data.logs as { id: string; action: string }[]).map(({ id }) => id)).toEqual(
    expect.arrayContaining(records.map(({ id }) => id)),
  );
  expect((logs.data.logs as { action: string }[]).map(({ action }) => action)).toEqual([
    "conversation.read",
    "memory.extract",
    "memory.extract",
    "memory.extract",
  ]);
  const found = await app.call("GET", `/v1/memories${query({ conversation: "a/b c?", origin: "kept" })}`);
  expect(contentsOf(found.data.memories)).toEqual(["We decided that releases go out on Tuesdays."]);
  const all = await app.call(
    "GET",
    `/v1/memories${query({ conversation: "a/b c?", sort_by: "importance" })}`,
  );
  expect(all.data.pagination).toMatchObject({ total: 4 });
  expect((await read("unknown")).code).toBe(2109);
});

test("an erased conversation is in no file of the data directory, and what was said elsewhere stays", async () => {
  const words = [
    "Quittenmarmelade",
    "Zwetschgenkuchen",
    "Kirchturmuhr",
    "Brombeerstrauch",
    "geheim-7",
    "Hagebutte",
  ];
  const name = "Plan geheim-7";
  const subject = "user:erase";
  await say(
    name,
    [
      { content: "Die Quittenmarmelade steht im Keller.", name: "Hagebutte" },
      { role: "assistant", content: "Dann backe ich den Zwetschgenkuchen." },
      { content: "Bis Freitag dann." },
    ],
    { subject },
  );
  await say("elsewhere", [{ content: "Bis Freitag dann." }, { content: "Der Hund heißt Rex." }], { subject });
  await say(name, [{ content: "We decided that the Kirchturmuhr is painted on Tuesdays." }], {
    subject,
    detail: "essential",
  });
  const as = { subject };
  await app.call("POST", "/v1/memories/search", { body: { query: "Wo ist die Marmelade?", ...as } });
  await app.call("POST", "/v1/memories/search", { body: { query: "Bis Freitag", ...as } });
  await app.call("POST", "/v1/memories/inject", { body: { query: "Was wird gebacken?", ...as } });
  await app.call("POST", "/v1/memories/inject", {
    body: { query: "Der Brombeerstrauch und der Kuchen", conversation: name, ...as },
  });
  await app.call("POST", "/v1/memories/inject", {
    body: { query: "Wie heißt der Hund, und was wird gebacken?", conversation: "elsewhere", ...as },
  });
  await app.call("GET", `/v1/memories${query({ subject, conversation: name })}`);
  await app.call("GET", `/v1/memories${query({ subject })}`);
  await read(name, { subject });
  await list({ subject });
  // A person rewrites what was kept of it: the record still has what it was.
  const { data: listed } = await app.call(
    "GET",
    `/v1/memories${query({ subject, conversation: name, origin: "kept" })}`,
  );
  const [kept] = listed.memories as { id: string }[];
  await app.call("PUT", `/v1/memories/${kept?.id}`, {
    body: { content: "Something else." },
    headers: { "Memledger-Subject": subject },
  });
  // The index of words has them in lower case, without endings.
  const wordsIn = (stored: string) =>
    words.filter((word) => stored.toLowerCase().includes(word.slice(0, 8).toLowerCase()));
  expect(wordsIn(payloadsIn(app.config.dataDir))).toEqual(words);
  const before = await erase(name, { dry_run: true, subject });
  expect(before.data).toMatchObject({ erased: false, memories: 3, changed: 1 });
  expect(await list({ subject }).then(namesOf)).toEqual([name, "elsewhere"]);
  const { data, code } = await erase(name, { subject });
  expect(code).toBe(1000);
  expect(data).toMatchObject({ erased: true, memories: 3, changed: 1 });
  const again = await erase(name, { subject });
  expect(again.data).toMatchObject({ erased: false, memories: 0, records: 0 });
  expect(await list({ subject }).then(namesOf)).toEqual(["elsewhere"]);
  expect((await read(name, { subject })).code).toBe(2109);
  const other = await read("elsewhere", { subject });
  expect(contentsOf(other.data.said).toSorted()).toEqual(["Bis Freitag dann.", "Der Hund heißt Rex."]);
  const found = await app.call("POST", "/v1/memories/search", {
    body: { query: "Bis Freitag dann.", ...as },
  });
  expect((found.data.results as { similarity: number }[])[0]?.similarity).toBeGreaterThan(0.99);
  // The records of the other conversation still have what was said in it.
  const records = madeOf(other.data).records as { id: string; action: string }[];
  const detail = await app.call(
    "GET",
    `/v1/audit/logs/${records.find(({ action }) => action === "memory.extract")?.id}`,
  );
  expect(JSON.stringify(detail.data.request_body)).toContain("Der Hund heißt Rex.");
  const verified = await app.call("GET", "/v1/audit/verify");
  expect(verified.data).toMatchObject({ failure: null });
  const key = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim();
  const receipt = verifyReceipt(data.receipt as Json, [key], runtimeCryptography);
  expect(receipt).toMatchObject({ project: app.projectId, records: Number(data.records) });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(wordsIn(stored)).toEqual([]);
    expect(stored).toContain("Rex");
  });
});
