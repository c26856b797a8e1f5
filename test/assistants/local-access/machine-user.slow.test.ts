// Proves whose the passages are that programs of this machine store: the user of the machine reads them, nobody else who names nobody does, and
// what is kept is the project's.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { machineUser } from "../../../src/access/machine-user.ts";
import { createKey } from "../../../src/calls/operations/access/key-operations.ts";
import { useLocalKey } from "../../../src/calls/operations/access/local-key.ts";
import { createProject } from "../../../src/calls/operations/access/project-operations.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { callerHeader, keyHeader, printCaller } from "../../../src/transports/local-socket/local-caller.ts";
import { findLocalSocket } from "../../../src/transports/local-socket/socket-path.ts";
import { everythingStored } from "../../everything-stored.ts";
import { type Reply, startTestApp, type TestApp, toReply } from "../../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const caller = printCaller({
  administrator: { osUid: 4711, osUser: "ada", sudoUser: null },
  client: "test/1",
});

interface Machine {
  readonly project: string;
  readonly local: (method: string, path: string, body?: JsonObject, subject?: string) => Promise<Reply>;
  readonly remote: (method: string, path: string, body?: JsonObject, subject?: string) => Promise<Reply>;
}

/** A project with a local key, and a key over HTTP. */
async function openMachine(): Promise<Machine> {
  const { id: project } = await app.administer(createProject, { name: crypto.randomUUID(), plan: "custom" });
  const { key_id } = await app.administer(useLocalKey, { project: String(project) });
  const permissions = ["memory.read", "memory.write", "subject.erase", "audit.read"];
  const { key } = await app.administer(createKey, { project: String(project), name: "program", permissions });
  const unix = findLocalSocket(locate(app.config.dataDir).socket) ?? "";
  const named = (subject: string | undefined) =>
    subject === undefined ? {} : { "Memledger-Subject": subject };
  return {
    project: String(project),
    async local(method, path, body, subject) {
      const response = await fetch(`http://localhost${path}`, {
        unix,
        method,
        headers: {
          "Content-Type": "application/json",
          [callerHeader]: caller,
          [keyHeader]: String(key_id),
          ...named(subject),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return toReply(response.status, response.headers, await response.text());
    },
    remote: (method, path, body, subject) =>
      app.call(method, path, {
        key: String(key),
        headers: named(subject),
        ...(body === undefined ? {} : { body }),
      }),
  };
}

const said = (...contents: string[]): JsonObject => ({
  messages: contents.map((content) => ({ role: "user", content })),
  conversation: "chat-1",
  detail: "verbatim",
});
const extract = "/v1/memories/extract";
const fact = (content: string): JsonObject => ({ content, memory_type: "fact" });
const listed = ({ data }: Reply) => (data.memories as { content: string }[]).map(({ content }) => content);
const found = ({ data }: Reply) =>
  (data.results as { memory: { content: string } }[]).map(({ memory }) => memory.content).toSorted();
const ids = ({ data }: Reply) => (data.extracted as { id: string }[]).map(({ id }) => id);
const blue = "My bicycle is blue, and it is in the cellar.";
const kept = "The bicycle of the office is green.";

test("passages are found for the user of the machine, and not for keys that name nobody", async () => {
  const { local, remote } = await openMachine();
  expect((await local("POST", extract, said(blue))).status).toBe(200);
  expect((await local("POST", "/v1/memories", fact(kept))).data.subject).toBeUndefined();
  const query = { query: "Which colour does the bicycle have?" };
  expect(found(await local("POST", "/v1/memories/search", query))).toEqual([blue, kept]);
  expect(found(await local("POST", "/v1/memories/search", { ...query, include_project: false }))).toEqual([
    blue,
    kept,
  ]);
  expect(found(await local("POST", "/v1/memories/search", { ...query, origin: "conversation" }))).toEqual([
    blue,
  ]);
  expect((await local("POST", "/v1/memories/inject", query)).data.prompt).toContain("blue");
  expect(found(await remote("POST", "/v1/memories/search", query))).toEqual([kept]);
  expect(JSON.stringify((await remote("POST", "/v1/memories/inject", query)).data)).not.toContain("blue");
  expect(listed(await remote("GET", "/v1/memories"))).toEqual([kept]);
  expect(listed(await remote("GET", "/v1/memories?origin=conversation"))).toEqual([]);
  expect(found(await remote("POST", "/v1/memories/search", query, "user:1"))).toEqual([kept]);
});

test("what is kept is the project's, whoever asks the extraction, and a subject that is named stays so", async () => {
  const { local, remote } = await openMachine();
  const rule = "Always use bun and never npm in this project.";
  await local("POST", extract, { text: rule });
  expect(listed(await remote("GET", "/v1/memories"))).toEqual([rule]);
  await local("POST", extract, said("I am with Ana."), "ana");
  expect(listed(await local("GET", "/v1/memories", undefined, "ana"))).toEqual(["I am with Ana."]);
  expect(listed(await local("GET", "/v1/memories"))).toEqual([rule]);
  await local("POST", extract, said(blue));
  await local("POST", "/v1/memories", fact(kept), machineUser);
  expect(listed(await remote("GET", "/v1/memories"))).toEqual([rule]);
  const { data } = await local("GET", "/v1/memories/conversations", undefined, machineUser);
  expect(JSON.stringify(data.conversations)).toContain('"chat-1"');
});

test("the same passage of the user, of a subject and over HTTP is three memories", async () => {
  const { local, remote } = await openMachine();
  const made = [
    await local("POST", extract, said(blue)),
    await remote("POST", extract, said(blue)),
    await remote("POST", extract, said(blue), "ana"),
  ];
  expect(new Set(made.flatMap(ids)).size).toBe(3);
  expect(ids(await local("POST", extract, said(blue)))).toEqual(ids(made[0] as Reply));
  expect(listed(await remote("GET", "/v1/memories"))).toEqual([blue]);
  expect(listed(await local("GET", "/v1/memories"))).toEqual([blue, blue]);
});

test("a list and an export have both in one order, on pages of any size", async () => {
  const { local } = await openMachine();
  const passages = Array.from({ length: 7 }, (_, at) => `Passage ${at} of the week.`);
  const facts = Array.from({ length: 6 }, (_, at) => `Fact ${at} of the project.`);
  const created: string[] = [];
  for (const [at, passage] of passages.entries()) {
    await local("POST", extract, said(passage));
    created.push(passage);
    const content = facts[at];
    if (content === undefined) continue;
    await local("POST", "/v1/memories", { ...fact(content), importance: at % 2 === 0 ? 0.1 : 0.9 });
    created.push(content);
  }
  const walk = async (path: string, size: number): Promise<string[]> => {
    const all: string[] = [];
    let cursor = "";
    for (let pages = 0; pages < 30; pages++) {
      const reply = await local("GET", `${path}page_size=${size}${cursor}`);
      expect(reply.status).toBe(200);
      all.push(...listed(reply));
      const next = reply.data.next_cursor;
      if (next === null) return all;
      cursor = `&cursor=${encodeURIComponent(String(next))}`;
    }
    throw new Error("the list has no end");
  };
  const change = async (text: string) => {
    const { data } = await local("GET", `/v1/memories?text=${encodeURIComponent(text)}`);
    const id = (data.memories as { id: string }[])[0]?.id ?? "";
    expect((await local("PUT", `/v1/memories/${id}`, { importance: 0.5 })).status).toBe(200);
  };
  await change("Fact 2 of the project");
  await change("Passage 3 of the week");
  const changed = [facts[2] ?? "", passages[3] ?? ""];
  const byChange = [...created.filter((each) => !changed.includes(each)), ...changed];
  const orders = ["asc", "desc"].flatMap((direction) =>
    ["created_at", "updated_at", "importance", "expires_at", "last_accessed_at"].map((key) => ({
      key,
      direction,
    })),
  );
  for (const { key, direction } of orders) {
    const path = `/v1/memories?sort_by=${key}&sort_dir=${direction}&`;
    const whole = await walk(path, 100);
    expect(whole.toSorted()).toEqual(created.toSorted());
    for (const size of [1, 2, 5]) expect(await walk(path, size)).toEqual(whole);
    const numbered: string[] = [];
    for (let page = 1; page <= 5; page++)
      numbered.push(...listed(await local("GET", `${path}page_size=3&page=${page}`)));
    expect(numbered).toEqual(whole);
    if (key === "created_at") expect(whole).toEqual(direction === "asc" ? created : created.toReversed());
    if (key === "updated_at") expect(whole).toEqual(direction === "asc" ? byChange : byChange.toReversed());
  }
  expect((await local("GET", "/v1/memories?page_size=1")).data.pagination).toMatchObject({ total: 13 });
  expect((await walk("/v1/memories?text=week&", 2)).toSorted()).toEqual(passages);
  expect(await walk("/v1/memories/export?", 100)).toEqual(created);
  for (const size of [1, 3, 12, 13]) expect(await walk("/v1/memories/export?", size)).toEqual(created);
  expect(await walk("/v1/memories/export?origin=kept&", 4)).toEqual(facts);
});

test("a cursor of the user's list is not one of the project's list", async () => {
  const { local, remote } = await openMachine();
  await local("POST", extract, said(blue, kept));
  for (const path of ["/v1/memories", "/v1/memories/export"]) {
    const { data } = await local("GET", `${path}?page_size=1`);
    expect(data.next_cursor).toBeString();
    const cursor = encodeURIComponent(String(data.next_cursor));
    expect((await remote("GET", `${path}?page_size=1&cursor=${cursor}`)).code).toBe(1400);
    expect((await local("GET", `${path}?page_size=1&cursor=${cursor}`, undefined, "ana")).code).toBe(1400);
  }
});

test("a passage is read, changed and deleted by its id for the user alone, alone or beside memories of the project", async () => {
  const { local, remote } = await openMachine();
  const [passage = "", other = ""] = ids(
    await local("POST", extract, said(blue, "The lock is in the hall.")),
  );
  const fixed = String((await local("POST", "/v1/memories", fact(kept))).data.id);
  const absent = await remote("GET", `/v1/memories/${"0".repeat(32)}`);
  for (const method of ["GET", "DELETE"]) {
    const refused = await remote(method, `/v1/memories/${passage}`);
    expect([refused.status, refused.code, refused.message]).toEqual([
      absent.status,
      absent.code,
      absent.message,
    ]);
  }
  expect((await local("GET", `/v1/memories/${passage}`)).data).toMatchObject({
    content: blue,
    subject: machineUser,
  });
  expect((await local("PUT", `/v1/memories/${passage}`, { tags: ["bike"] })).data.tags).toEqual(["bike"]);
  const changes = [passage, fixed, "no id"].map((memory_id) => ({ memory_id, importance: 0.3 }));
  const updated = await local("PUT", "/v1/memories/batch", { memories: changes });
  expect(updated.data).toMatchObject({ updated: 2, refused: 1 });
  const foreign = await remote("DELETE", "/v1/memories/batch", {
    memory_ids: [passage, fixed.toUpperCase()],
  });
  expect((foreign.data.results as { status: string }[])[0]?.status).toBe("refused");
  const again = String((await local("POST", "/v1/memories", fact("Another one."))).data.id);
  const deleted = await local("DELETE", "/v1/memories/batch", { memory_ids: [again, passage] });
  expect(deleted.data).toMatchObject({ deleted: 2, refused: 0 });
  expect((await local("GET", `/v1/memories/${other}`)).status).toBe(200);
});

test("a bulk delete of the user has both, and one over HTTP leaves the passages", async () => {
  const { local, remote } = await openMachine();
  await local("POST", extract, said(blue));
  await local("POST", "/v1/memories", fact(kept));
  expect((await remote("DELETE", "/v1/memories")).data.deleted_count).toBe(1);
  expect(listed(await local("GET", "/v1/memories"))).toEqual([blue]);
  await local("POST", "/v1/memories", fact(kept));
  expect((await local("DELETE", "/v1/memories")).data.deleted_count).toBe(2);
  expect(listed(await local("GET", "/v1/memories"))).toEqual([]);
});

test("the records of calls with passages are about the user, and an erasure leaves none of the words", async () => {
  const { local, remote, project } = await openMachine();
  const secret = "Xylophonkatze";
  await local("POST", "/v1/memories", fact(kept));
  const before = app.records(project).length;
  await local("POST", "/v1/memories/search", { query: "bicycle" });
  expect(app.records(project)).toHaveLength(before + 1);
  expect((await remote("GET", "/v1/subjects")).data.subjects).toEqual([]);
  await local("POST", extract, said(`My cat is named ${secret}.`));
  await local("POST", "/v1/memories/search", { query: `Who is ${secret}?` });
  await local("GET", "/v1/memories");
  expect(everythingStored(app.config.dataDir)).toContain(secret);
  const erased = await remote("POST", `/v1/subjects/${encodeURIComponent(machineUser)}/erase`, {});
  expect(erased.status).toBe(200);
  expect(everythingStored(app.config.dataDir)).not.toContain(secret);
  expect(listed(await local("GET", "/v1/memories"))).toEqual([kept]);
  await local("POST", extract, said(blue));
  expect(listed(await local("GET", "/v1/memories"))).toEqual([blue, kept]);
});
