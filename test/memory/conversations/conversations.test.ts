// Proves conversations through the API: which there are, what was said in them, and what is left after the erasure of one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { verifyErasureReceipt } from "../../../src/audit/verify/receipts/erasure-receipt.ts";
import { pruneRecords } from "../../../src/calls/operations/ledger/prune.ts";
import type { Json, JsonObject } from "../../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../../everything-stored.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

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
  const { data } = await app.call("GET", `/v1/memories/conversations${query(fields)}`, key ? { key } : {});
  return data as { conversations: JsonObject[]; next_cursor: string | null };
};
const namesOf = ({ conversations }: { conversations: JsonObject[] }) =>
  conversations.map(({ conversation }) => conversation);
const read = (name: string, fields: Record<string, string> = {}, key?: string) =>
  app.call(
    "GET",
    `/v1/memories/conversations/${encodeURIComponent(name)}${query(fields)}`,
    key ? { key } : {},
  );
const erase = (name: string, body: JsonObject = {}, key?: string) =>
  app.call("POST", `/v1/memories/conversations/${encodeURIComponent(name)}/erase`, {
    body,
    ...(key ? { key } : {}),
  });
const contentsOf = (memories: Json | undefined) =>
  (memories as { content: string }[]).map(({ content }) => content);

const madeOf = ({ made }: JsonObject) => made as JsonObject;

test("a conversation is listed and read as it was, with the memories that were extracted from it and its records", async () => {
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
    {
      conversation: "a/b c?",
      message: "m1",
      role: "user",
      name: "Ana",
      said_at: "2026-03-12T09:00:00.000Z",
      span: { start: 0, end: 27 },
    },
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
  const receipt = verifyErasureReceipt(data.receipt as Json, [key], runtimeCryptography);
  expect(receipt).toMatchObject({ project: app.projectId, records: Number(data.records) });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(wordsIn(stored)).toEqual([]);
    expect(stored).toContain("Rex");
  });
});

test("suggestions that quote an erased conversation or repeat it go with it, and others stay", async () => {
  const subject = "user:suggesting";
  const both = "We decided that the church clock is painted on Tuesdays.";
  await say("gone", [{ content: "The Mirabellenmus stands in the cellar." }], { subject });
  await say("gone", [{ content: both }], { subject, detail: "essential" });
  const fields = {
    subject,
    memory_type: "fact",
    origins: [{ conversation: "gone" }, { conversation: "stays" }],
  };
  const shared = await app.call("POST", "/v1/memories", { body: { ...fields, content: "Rex is a dog." } });
  const memory_id = String(shared.data.id);
  const propose = async (body: JsonObject) => {
    const { status, data } = await app.call("POST", "/v1/suggestions", { body: { subject, ...body } });
    expect(status).toBe(201);
    return String(data.id);
  };
  const create = { kind: "create", memory_type: "fact" };
  await propose({ ...create, content: "You know: the mirabellenmus stands in the cellar!" });
  await propose({
    kind: "change",
    memory_id,
    importance: 0.2,
    quotes: ["The Mirabellenmus stands in the cellar."],
  });
  const others = [
    await propose({ ...create, content: "The dog barks at night." }),
    await propose({ kind: "delete", memory_id }),
  ];
  expect((await erase("gone", { subject })).data).toMatchObject({ erased: true, memories: 2, changed: 1 });
  const { data } = await app.call("GET", `/v1/suggestions${query({ subject })}`);
  const left = data.suggestions as { id: string }[];
  expect(left.map(({ id }) => id).toSorted()).toEqual(others.toSorted());
  expect((await app.call("GET", "/v1/audit/verify")).data).toMatchObject({ failure: null });
  const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
  expect(stored.toLowerCase()).not.toContain("mirabellenmus");
});

test("a key for a subject has its own conversations only, and learns nothing of others", async () => {
  const permissions = ["memory.read", "memory.write"] as const;
  const { id, key } = await app.createProject("custom");
  const bound = await app.createKey(id, permissions, { subject: "user:1" });
  const plain = await app.createKey(id, ["memory.read", "memory.write"]);
  for (const subject of [undefined, "user:1", "user:2"])
    await say("chat", [{ content: `Said for ${subject ?? "the project"}.` }], {
      key,
      ...(subject ? { subject } : {}),
    });
  await say("secret", [{ content: "Said for another." }], { key, subject: "user:2" });
  expect(namesOf(await list({}, bound.key))).toEqual(["chat"]);
  const own = await read("chat", {}, bound.key);
  expect(contentsOf(own.data.said)).toEqual(["Said for user:1."]);
  expect(madeOf(own.data)).toEqual({ memories: [] });
  const refused = [
    await read("secret", {}, bound.key),
    await read("no such", {}, bound.key),
    await erase("secret", { dry_run: true }, bound.key),
    await erase("no such", { dry_run: true }, bound.key),
    await erase("secret", {}, bound.key),
    await erase("no such", {}, bound.key),
  ].map(({ status, code, message, data }) => [status, code, message, data]);
  for (const at of [0, 2, 4]) expect(refused[at]).toEqual(refused[at + 1] as never);
  expect(refused.map(([status]) => status)).toEqual([404, 404, 403, 403, 403, 403]);
  expect((await read("chat", { subject: "user:2" }, bound.key)).code).toBe(1403);
  expect((await erase("chat", {}, plain.key)).code).toBe(1403);
  const erased = await erase("chat", { subject: "user:1" }, key);
  expect(erased.data).toMatchObject({ erased: true, memories: 1 });
  expect(namesOf(await list({}, bound.key))).toEqual([]);
  for (const subject of [undefined, "user:2"]) {
    const { data } = await read("chat", subject ? { subject } : {}, key);
    expect(contentsOf(data.said)).toEqual([`Said for ${subject ?? "the project"}.`]);
  }
  expect((await app.call("GET", "/v1/audit/verify", { key })).data).toMatchObject({ failure: null });
});

test("conversations with one id of the project and of subjects are not mixed in the ledger or in a prompt", async () => {
  const { key } = await app.createProject("custom");
  const owners: readonly [string, JsonObject][] = [
    ["the project", {}],
    ["user:1", { subject: "user:1" }],
    ["user:2", { subject: "user:2" }],
  ];
  const at = (minute: number) => `2026-05-01T10:0${minute}:00Z`;
  for (const [minute, [name, owner]] of owners.entries()) {
    const messages = [
      { content: `The mill of ${name} opens at nine.`, said_at: at(minute) },
      { content: `The mill of ${name} closes at five.`, said_at: at(minute + 4) },
    ];
    await say("chat", messages, { key, ...owner });
  }
  const recorded = async (fields: Record<string, string>) => {
    const answer = await app.call("GET", `/v1/audit/logs${query({ action: "memory.extract", ...fields })}`, {
      key,
    });
    return (answer.data.logs as { id: string }[]).map(({ id }) => id);
  };
  const found = [
    await recorded({ conversation: "chat" }),
    await recorded({ conversation: "chat", subject: "user:1" }),
    await recorded({ conversation: "chat", subject: "user:2" }),
  ];
  expect(found.map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(new Set(found.flat()).size).toBe(3);
  expect(await recorded({ conversation: "chat", subject: "user:3" })).toEqual([]);
  const body = { query: "When is the mill open?", subject: "user:1" };
  const { data } = await app.call("POST", "/v1/memories/inject", { key, body });
  const lines = String(data.prompt).match(/The mill of .*?\./g) ?? [];
  expect(lines.toSorted()).toEqual(
    ["the project", "user:1"].flatMap((name) => [
      `The mill of ${name} closes at five.`,
      `The mill of ${name} opens at nine.`,
    ]),
  );
  for (const first of [0, 2])
    expect(lines[first + 1]).toBe(lines[first]?.replace("opens at nine", "closes at five"));
});

test("a conversation of the project goes from the records of its subjects, too, and nothing else of them does", async () => {
  const { id, key } = await app.createProject("custom");
  await say("plan", [{ content: "Der Maulwurfshügel kommt weg." }], { key });
  const search = (text: string, fields: JsonObject) =>
    app.call("POST", "/v1/memories/search", { key, body: { query: text, ...fields } });
  await search("Maulwurfshügel", { subject: "user:1" });
  await app.call("POST", "/v1/memories", {
    key,
    body: { content: "Der Maulwurfshügel kommt weg.", memory_type: "fact", subject: "user:2" },
  });
  await app.call("GET", "/v1/memories", { key, headers: { "Memledger-Subject": "user:2" } });
  const { data } = await erase("plan", {}, key);
  expect(data).toMatchObject({ erased: true, memories: 1 });
  const records = app.records(id);
  const textOf = (action: string) =>
    JSON.stringify(records.filter(({ entry }) => entry.action === action).map(({ payload }) => payload));
  // The query is the person's own; the result was of the conversation.
  expect(textOf("memory.search")).toContain('"query":"Maulwurfshügel"');
  expect(textOf("memory.search")).not.toContain("kommt weg");
  expect(textOf("memory.create")).toContain("kommt weg");
  expect(textOf("memory.list")).toContain("kommt weg");
  expect(textOf("memory.extract")).not.toContain("kommt weg");
});

test("a name that clients remove from addresses is refused wherever it is given, and each other one is reached", async () => {
  const { key } = await app.createProject("custom");
  const messages = [{ role: "user", content: "Said somewhere." }];
  const memory = { content: "Kept somewhere.", memory_type: "fact" };
  for (const name of [".", "..", " .. "]) {
    const refused = [
      await app.call("POST", "/v1/memories/extract", { key, body: { messages, conversation: name } }),
      await app.call("POST", "/v1/memories", { key, body: { ...memory, origins: [{ conversation: name }] } }),
      await app.call("POST", "/v1/memories", { key, body: { ...memory, subject: name } }),
      await app.call("GET", "/v1/memories", { key, headers: { "Memledger-Subject": name.trim() } }),
      await app.call("GET", `/v1/audit/logs?conversation=${encodeURIComponent(name)}`, { key }),
    ].map(({ code, message }) => [code, message]);
    const reason = expect.stringContaining(`is "${name.trim()}", which clients remove from addresses`);
    expect(refused).toEqual(refused.map(() => [1400, reason]));
  }
  for (const name of ["...", ".a", "a/../b", "%2e", "?"]) {
    await say(name, [{ content: `Said in ${name}!` }], { key, subject: name });
    expect(contentsOf((await read(name, { subject: name }, key)).data.said)).toEqual([`Said in ${name}!`]);
    const path = `/v1/subjects/${encodeURIComponent(name)}/erase`;
    expect((await app.call("POST", path, { key, body: {} })).data).toMatchObject({ erased: true });
  }
});

test("pages have each conversation and each passage once, and a cursor of another list is refused", async () => {
  const { key } = await app.createProject("custom");
  const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, "0")}:00Z`;
  for (const number of [0, 1, 2, 3, 4])
    await say(`chat-${number}`, [{ content: `Number ${number}.`, said_at: at(number) }], { key });
  const lines = Array.from({ length: 7 }, (_, minute) => ({
    content: `Line ${minute}.`,
    said_at: at(minute),
  }));
  await say("chat-0", lines.toReversed(), { key });
  const names: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ page_size: "2", ...(cursor === null ? {} : { cursor }) }, key);
    names.push(...namesOf(page));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names).toEqual(["chat-0", "chat-4", "chat-3", "chat-2", "chat-1"]);
  const said: string[] = [];
  cursor = null;
  do {
    const { data } = await read("chat-0", { page_size: "3", ...(cursor === null ? {} : { cursor }) }, key);
    said.push(...contentsOf(data.said));
    cursor = data.next_cursor as string | null;
  } while (cursor !== null);
  expect(said.slice(0, 2).toSorted()).toEqual(["Line 0.", "Number 0."]);
  expect(said.slice(2)).toEqual(lines.slice(1).map(({ content }) => content));
  const { data: first } = await read("chat-0", { page_size: "3" }, key);
  const foreign = { cursor: String(first.next_cursor) };
  expect((await read("chat-1", foreign, key)).code).toBe(1400);
  expect((await app.call("GET", `/v1/memories/conversations${query(foreign)}`, { key })).code).toBe(1400);
  expect((await read("chat-0", { page_size: "0" }, key)).code).toBe(1400);
});

test("a conversation without memories is not listed, however they went", async () => {
  const { key } = await app.createProject("custom");
  const subject = "user:1";
  const body = (fields: JsonObject) => ({ key, body: { subject, ...fields } });
  for (const name of ["one", "two", "three"])
    await say(name, [{ content: `It is ${name}.` }], { key, subject });
  const { data } = await app.call("GET", `/v1/memories${query({ subject, conversation: "one" })}`, { key });
  const [memory] = data.memories as { id: string }[];
  await app.call("DELETE", `/v1/memories/${memory?.id}`, { key, headers: { "Memledger-Subject": subject } });
  expect(namesOf(await list({ subject }, key))).toEqual(["three", "two"]);
  expect((await read("one", { subject }, key)).code).toBe(2109);
  await app.call("DELETE", "/v1/memories", body({ origin: "conversation" }));
  expect(namesOf(await list({ subject }, key))).toEqual([]);
  // Its records are there until it is erased.
  const { data: counts } = await erase("two", { subject, dry_run: true }, key);
  expect(counts).toMatchObject({ memories: 0, records: 1 });
  expect((await erase("two", { subject }, key)).data).toMatchObject({ erased: true, memories: 0 });
  expect(payloadsIn(app.config.dataDir)).not.toContain("It is two.");
});

test("a search that was answered meanwhile is performed again, and an erasure says so if the conversation goes on", async () => {
  const { key } = await app.createProject("custom");
  await say("race", [{ content: "Der Kormoran sitzt am Wehr." }], { key });
  const searches = Array.from({ length: 20 }, () =>
    app.call("POST", "/v1/memories/search", { key, body: { query: "Wo sitzt der Kormoran?" } }),
  );
  const [erased] = await Promise.all([erase("race", {}, key), ...searches]);
  expect(erased?.data).toMatchObject({ erased: true });
  expect(payloadsIn(app.config.dataDir)).not.toContain("am Wehr");
});

test("the erasure of a subject removes the names of its conversations", async () => {
  const subject = "user:named";
  await say("Reise nach Wladiwostok", [{ content: "Der Zug fährt morgen." }], { subject });
  const { data } = await app.call("POST", `/v1/subjects/${subject}/erase`, { body: {} });
  expect(data).toMatchObject({ erased: true, memories: 1 });
  expect(namesOf(await list({ subject }))).toEqual([]);
  expect((await app.call("GET", "/v1/audit/verify")).data).toMatchObject({ failure: null });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(stored).not.toContain("Wladiwostok");
  });
});

test("retention removes the name of a conversation that nothing needs any more, and of no other one", async () => {
  const { key } = await app.createProject("custom", { retention_days: 1 });
  const subject = "user:1";
  await say("Gone with its records", [{ content: "It goes." }], { key, subject });
  await say("Held by a memory", [{ content: "It stays." }], { key, subject });
  const headers = { "Memledger-Subject": subject };
  const { data } = await app.call("GET", `/v1/memories${query({ conversation: "Gone with its records" })}`, {
    key,
    headers,
  });
  const [memory] = data.memories as { id: string }[];
  await app.call("DELETE", `/v1/memories/${memory?.id}`, { key, headers });
  app.passTime(2 * 86_400_000);
  // The newest record of a chain stays.
  await app.call("GET", "/v1/memories", { key });
  await app.administer(pruneRecords, {});
  expect(namesOf(await list({ subject }, key))).toEqual(["Held by a memory"]);
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir);
    expect(["Gone with its records", "Held by a memory"].map((name) => stored.includes(name))).toEqual([
      false,
      true,
    ]);
  });
});
