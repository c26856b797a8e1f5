// Proves memory for each subject of a project through the API: what is apart, what the project's own memories are to all of them, and what
// records say.

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

const create = (content: string, subject?: string, fields: JsonObject = {}) =>
  app.call("POST", "/v1/memories", {
    body: { content, memory_type: "fact", ...fields, ...(subject === undefined ? {} : { subject }) },
  });
const contentsOf = (found: unknown): string[] =>
  (found as { memory: { content: string } }[]).map(({ memory }) => memory.content).toSorted();
const search = async (query: string, fields: JsonObject = {}) => {
  const { data } = await app.call("POST", "/v1/memories/search", { body: { query, top_k: 50, ...fields } });
  return contentsOf(data.results);
};
const list = async (subject?: string): Promise<string[]> => {
  const query = subject === undefined ? "" : `?subject=${encodeURIComponent(subject)}`;
  const { data } = await app.call("GET", `/v1/memories${query}`);
  return (data.memories as { content: string }[]).map(({ content }) => content).toSorted();
};

test("the same sentence of two subjects and of the project is three memories, each found for its own", async () => {
  const text = "The user is vegetarian.";
  const made = [await create(text, "user:1"), await create(text, "user:2"), await create(text)];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(made.map(({ data }) => data.id)).size).toBe(3);
  expect(made.map(({ data }) => data.subject)).toEqual(["user:1", "user:2", undefined]);
  const again = await create(text, " user:2 ");
  expect(again.code).toBe(2104);
  expect(again.data.memory_id).toBe(made[1]?.data.id ?? null);
  await create("Ana has a dog.", "user:1");
  expect(await list("user:1")).toEqual(["Ana has a dog.", text]);
  expect(await list("user:2")).toEqual([text]);
  expect(await list()).toEqual([text]);
  expect(await list("user:3")).toEqual([]);
  expect(await search("vegetarian", { subject: "user:1" })).toEqual(["Ana has a dog.", text, text]);
  expect(await search("vegetarian", { subject: "user:2", mode: "hybrid" })).toEqual([text, text]);
  expect(await search("vegetarian", { subject: "user:2", include_project: false })).toEqual([text]);
  expect(await search("vegetarian")).toEqual([text]);
  expect(await search("vegetarian", { subject: "nobody" })).toEqual([text]);
  expect(await search("vegetarian", { subject: "nobody", include_project: false })).toEqual([]);
});

test("a memory is found by its id for its own subject only, with the same refusal as one that does not exist", async () => {
  const { data } = await create("Bo plays chess.", "user:4");
  const read = (subject: string | null, id: unknown = data.id) =>
    app.call("GET", `/v1/memories/${id}`, {
      headers: subject === null ? {} : { "Memledger-Subject": subject },
    });
  expect((await read("user:4")).data).toMatchObject({ content: "Bo plays chess.", subject: "user:4" });
  const refused = [await read(null), await read("user:5"), await read("user:5", "0".repeat(32))];
  expect(
    new Set(refused.map(({ status, code, message }) => JSON.stringify([status, code, message]))).size,
  ).toBe(1);
  expect(refused[0]?.code).toBe(2100);
  const both = await app.call("POST", "/v1/memories", {
    body: { content: "x y z", subject: "a" },
    headers: { "Memledger-Subject": "b" },
  });
  expect(both.code).toBe(1400);
});

test("an injection has the rules and memories of the subject and of the project, and a bulk delete only those of the subject", async () => {
  await create("Answer in Danish.", "user:6", { memory_type: "rule" });
  await create("Never use jargon.", undefined, { memory_type: "rule" });
  await create("Cy works in Bergen.", "user:6");
  const inject = async (fields: JsonObject) =>
    (await app.call("POST", "/v1/memories/inject", { body: fields })).data.rules as { content: string }[];
  const contents = async (fields: JsonObject) => (await inject(fields)).map(({ content }) => content);
  expect(await contents({ subject: "user:6" })).toEqual(["Answer in Danish.", "Never use jargon."]);
  expect(await contents({ subject: "user:6", include_project: false })).toEqual(["Answer in Danish."]);
  expect(await contents({})).toEqual(["Never use jargon."]);
  const deleted = await app.call("DELETE", "/v1/memories", { body: { subject: "user:6" } });
  expect(deleted.data.deleted_count).toBe(2);
  expect(await list("user:6")).toEqual([]);
  expect(await contents({ subject: "user:6" })).toEqual(["Never use jargon."]);
});

test("records name the pseudonym of the subject, and nowhere its name", async () => {
  const name = "Dana Quist <dana@example.org>";
  await create("Dana is allergic to nuts.", name);
  await search("nuts", { subject: name });
  await app.call("GET", `/v1/memories?subject=${encodeURIComponent(name)}`);
  const records = app.records(app.projectId).slice(-3);
  const subjects = records.map(({ entry }) => (entry as { subject?: string }).subject);
  expect(new Set(subjects).size).toBe(1);
  expect(subjects[0]).toMatch(/^[0-9a-f]{32}$/);
  for (const { entry } of records) expect(JSON.stringify(entry)).not.toContain("Dana");
  expect(JSON.stringify(records[0]?.payload.request_body)).not.toContain(name);
  expect(records.map(({ payload }) => payload.request_parameters ?? null)).toEqual([null, null, null]);
});

test("a key for one subject sees nothing of others, and performs nothing for the whole project", async () => {
  const permissions = ["memory.read", "memory.write"] as const;
  const one = await app.createKey(app.projectId, permissions, { subject: "user:7" });
  const some = await app.createKey(app.projectId, permissions, { subject: "guest:*" });
  const as = (key: string, body: JsonObject) =>
    app.call("POST", "/v1/memories", { key, body: { memory_type: "fact", ...body } });
  expect((await as(one.key, { content: "Eve sings.", memory_type: "fact" })).data.subject).toBe("user:7");
  expect((await as(one.key, { content: "Eve sings.", subject: "user:8" })).code).toBe(1403);
  expect((await as(some.key, { content: "Flo runs.", subject: "guest:1", memory_type: "fact" })).status).toBe(
    201,
  );
  expect((await as(some.key, { content: "Flo runs.", subject: "user:7" })).code).toBe(1403);
  expect((await as(some.key, { content: "Flo runs." })).code).toBe(1400);
  expect(await list("user:7")).toEqual(["Eve sings."]);
  const seen = await app.call("GET", "/v1/memories", { key: one.key });
  expect((seen.data.memories as { content: string }[]).map(({ content }) => content)).toEqual(["Eve sings."]);
  expect((await app.call("GET", "/v1/audit/logs", { key: one.key })).code).toBe(1403);
});

test("a call without a body for a subject that has stored nothing reads and changes nothing of the project", async () => {
  const { key } = await app.createProject("custom");
  const post = (path: string, body: JsonObject) => app.call("POST", path, { key, body });
  const kept = await post("/v1/memories", { content: "The shop opens at nine.", memory_type: "fact" });
  const memory = String(kept.data.id);
  const proposal = { kind: "delete", memory_id: memory };
  const suggestion = String((await post("/v1/suggestions", proposal)).data.id);
  const expecting = { query: "opening", expected_memory_id: memory };
  const check = String((await post("/v1/checks", expecting)).data.id);
  const calls: readonly [string, string, number][] = [
    ["GET", `/v1/memories/${memory}`, 404],
    ["DELETE", `/v1/memories/${memory}`, 404],
    ["GET", `/v1/suggestions/${suggestion}`, 404],
    ["POST", `/v1/suggestions/${suggestion}/accept`, 404],
    ["POST", `/v1/suggestions/${suggestion}/merge`, 404],
    ["POST", `/v1/suggestions/${suggestion}/refuse`, 404],
    ["DELETE", `/v1/checks/${check}`, 404],
    ["POST", "/v1/checks/run", 200],
    ["DELETE", "/v1/memories", 200],
  ];
  for (const [at, [method, path, status]] of calls.entries()) {
    const headers = { "Memledger-Subject": `user:new-${at}` };
    const answer = await app.call(method, path, { key, headers });
    expect([method, path, answer.status]).toEqual([method, path, status]);
    if (path === "/v1/memories") expect(answer.data).toEqual({ deleted_count: 0 });
    if (path === "/v1/checks/run") expect(answer.data).toMatchObject({ results: [] });
  }
  expect((await app.call("GET", `/v1/memories/${memory}`, { key })).status).toBe(200);
  expect((await app.call("GET", `/v1/suggestions/${suggestion}`, { key })).status).toBe(200);
  expect((await app.call("GET", "/v1/checks", { key })).data).toMatchObject({ checks: [{ id: check }] });
  // These calls say nothing about their subjects, so the names are stored nowhere.
  const { subjects } = (await app.call("GET", "/v1/subjects", { key })).data;
  const names = (subjects as { subject: string }[]).map(({ subject }) => subject);
  for (const at of [0, 1, 2, 8]) expect(names).not.toContain(`user:new-${at}`);
});

test("an erasure of many records erases what each says about the subject", async () => {
  const { key, id: project } = await app.createProject("custom");
  const subject = "Wenzel";
  for (let at = 0; at < 70; at++)
    await app.call("POST", "/v1/memories/search", {
      key,
      body: { query: `Kornblumenstrauss ${at}`, subject },
    });
  const erase = (body: JsonObject) => app.call("POST", `/v1/subjects/${subject}/erase`, { key, body });
  expect((await erase({ dry_run: true })).data.records).toBe(70);
  const { data } = await erase({});
  // That of the dry run, too.
  expect(data).toMatchObject({ erased: true, records: 71 });
  const payloads = app.records(project).map(({ payload }) => JSON.stringify(payload));
  expect(payloads.filter((payload) => payload.includes("Kornblumenstrauss"))).toEqual([]);
  expect((await app.call("GET", "/v1/audit/verify", { key })).data).toMatchObject({
    failure: null,
    verified: 73,
  });
});

test("an erased subject is in no file of the data directory, and the ledger still verifies", async () => {
  const name = "Gustav Zweigelt";
  const words = ["Zweigelt", "Pyrenäenwanderung", "Kontrabassunterricht", "Murmelsteig", "Frobenius"];
  await create("Die Pyrenäenwanderung von Gustav beginnt im Juni.", name);
  await create("Gustav sucht Kontrabassunterricht.", name);
  const origins = [{ name: "Ida Frobenius" }];
  const imported = { content: "Er reist gern.", memory_type: "fact", lead: "Reisen / Murmelsteig", origins };
  await app.call("POST", "/v1/memories/batch", { body: { memories: [imported], subject: name } });
  await search("Wann ist die Pyrenäenwanderung?", { subject: name, mode: "hybrid" });
  await app.call("POST", "/v1/memories/inject", { body: { query: "Kontrabassunterricht", subject: name } });
  await app.call("POST", "/v1/memories/extract", {
    body: { text: "Gustav hat am 3. Mai Kontrabassunterricht bei Frau Ott.", subject: name },
  });
  const erase = (fields: JsonObject) =>
    app.call("POST", `/v1/subjects/${encodeURIComponent(name)}/erase`, { body: fields });
  const { data: file } = await app.call("GET", `/v1/subjects/${encodeURIComponent(name)}/export`);
  expect(file.memories).toHaveLength(4);
  expect((file.records as { action: string }[]).map(({ action }) => action).toSorted()).toEqual([
    "memory.create",
    "memory.create",
    "memory.create_batch",
    "memory.extract",
    "memory.inject",
    "memory.search",
  ]);
  expect(JSON.stringify(file.records)).toContain("Wann ist die Pyrenäenwanderung?");
  const before = await erase({ dry_run: true });
  expect(before.data).toMatchObject({ erased: false, records: 7 });
  const { data, code } = await erase({});
  expect(code).toBe(1000);
  expect(data).toMatchObject({ erased: true, memories: before.data.memories });
  expect(Number(data.records)).toBeGreaterThanOrEqual(5);
  expect((await erase({})).data).toMatchObject({ erased: false, memories: 0, records: 0 });
  const { data: listed } = await app.call("GET", "/v1/subjects");
  expect((listed.subjects as { subject: string }[]).map(({ subject }) => subject)).not.toContain(name);
  expect(await list(name)).toEqual([]);
  const { data: verified } = await app.call("GET", "/v1/audit/verify");
  expect(verified).toMatchObject({ verdict: "unattested", failure: null });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(words.filter((word) => stored.includes(word))).toEqual([]);
  });
});

test("retention removes the name of a subject that nothing needs any more, and of no other one", async () => {
  const { id, key } = await app.createProject("custom", { retention_days: 1 });
  const call = (method: string, path: string, body: JsonObject) => app.call(method, path, { key, body });
  const fact = { content: "Iva rows.", memory_type: "fact" };
  const searched = (subject: string) => call("POST", "/v1/memories/search", { query: "rowing", subject });
  const names = ["Quendolin Marblethwaite", "Held Bymemory", "Held Bycheck", "Held Bykey", "Deleted Later"];
  const [gone = "", byMemory = "", byCheck = "", byKey = "", later = ""] = names;
  for (const name of names) expect((await searched(name)).code).toBe(1000);
  expect((await call("POST", "/v1/memories", { ...fact, subject: byMemory })).status).toBe(201);
  const { data: made } = await call("POST", "/v1/memories", { ...fact, subject: later });
  await app.createKey(id, ["memory.read"], { subject: byKey });
  const { data: checked } = await call("POST", "/v1/memories", { ...fact, subject: byCheck });
  const check = { query: "rowing", expected_memory_id: checked.id ?? null, subject: byCheck };
  expect((await call("POST", "/v1/checks", check)).status).toBe(201);
  const removed = await app.call("DELETE", `/v1/memories/${checked.id}`, {
    key,
    headers: { "Memledger-Subject": byCheck },
  });
  expect(removed.status).toBe(204);
  const subjects = async () => {
    const { data } = await app.call("GET", "/v1/subjects", { key });
    return (data.subjects as { subject: string }[]).map(({ subject }) => subject);
  };
  const prune = async () => {
    app.passTime(2 * 86_400_000);
    // The newest record of a chain stays.
    await app.call("GET", "/v1/memories", { key });
    await app.administer(pruneRecords, {});
  };
  expect(await subjects()).toEqual(names.toSorted());
  await prune();
  expect(await subjects()).toEqual([byCheck, byKey, byMemory, later].toSorted());
  const headers = { "Memledger-Subject": later };
  expect((await app.call("DELETE", `/v1/memories/${made.id}`, { key, headers })).status).toBe(204);
  await prune();
  expect(await subjects()).toEqual([byCheck, byKey, byMemory].toSorted());
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(names.filter((name) => stored.includes(name)).toSorted()).toEqual(
      [byCheck, byKey, byMemory].toSorted(),
    );
  });
  expect((await call("POST", "/v1/memories", { ...fact, subject: gone })).data.subject).toBe(gone);
  expect((await searched(gone)).data.results).toHaveLength(1);
  expect((await app.call("GET", "/v1/audit/verify", { key })).data).toMatchObject({ failure: null });
});

test("a receipt is verified with the public key alone, and no changed one is", async () => {
  await create("Hal plays the oboe.", "user:9");
  const { data } = await app.call("POST", "/v1/subjects/user:9/erase", { body: {} });
  const key = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim();
  const verify = (receipt: Json) => verifyErasureReceipt(receipt, [key], runtimeCryptography);
  const receipt = data.receipt as Record<string, Json>;
  expect(verify(receipt)).toMatchObject({ project: app.projectId, subject: receipt.subject, records: 1 });
  const others: Record<string, Json> = {
    project: "0".repeat(32),
    subject: "0".repeat(32),
    entry: String(receipt.entry).replace('"status":200', '"status":201'),
    hash: "0".repeat(64),
    salt: Buffer.alloc(16).toString("base64"),
    payload: String(receipt.payload).replace(String(receipt.subject), "0".repeat(32)),
    inclusion: [],
    checkpoint: String(receipt.checkpoint).replace(/\n\d+\n/, "\n7\n"),
  };
  for (const [name, value] of Object.entries(others))
    expect(verify({ ...receipt, [name]: value })).toBeString();
  expect(verify({ data })).toEqual(verify(receipt));
  expect(verify({ data: { erased: false } })).toBeString();
});
