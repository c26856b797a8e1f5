// Proves the TypeScript client against the real server: every operation of the API, the types of its refusals, and what it sends.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operations } from "../../clients/typescript/src/generated/operations.ts";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ClientOptions,
  ConflictError,
  Memledger,
  MemledgerError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  version,
} from "../../clients/typescript/src/index.ts";
import { createAdministrationKey } from "../../src/calls/operations/access/administration-key-operations.ts";
import { openApiDocument } from "../../src/transports/http/openapi/openapi.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

async function createClient(options: ClientOptions = {}): Promise<Memledger> {
  const { key } = await app.createProject("custom");
  return new Memledger({ apiKey: key, baseUrl: app.url, ...options });
}

interface Described {
  readonly operationId: string;
  readonly "x-effects": { readonly idempotent: boolean };
  readonly "x-may-run-long": boolean;
  /** The paths of the gateway are for the clients of other APIs. */
  readonly "x-exchange"?: boolean;
}

describe("the surface", () => {
  test("is every operation of the API, under its method, its path and its effects", () => {
    const document = JSON.parse(JSON.stringify(openApiDocument()));
    const described = Object.entries<Record<string, Described>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation["x-exchange"] !== true)
        .map(([method, operation]) => ({
          operationId: operation.operationId,
          method: method.toUpperCase(),
          path,
          isIdempotent: operation["x-effects"].idempotent,
          mayRunLong: operation["x-may-run-long"],
        })),
    );
    expect(described.length).toBeGreaterThan(18);
    const byName = (one: { operationId: string }, other: { operationId: string }) =>
      one.operationId < other.operationId ? -1 : 1;
    expect(operations.toSorted(byName)).toEqual(described.toSorted(byName));
  });

  test("reaches every operation: each call arrives as the operation that it names", async () => {
    const called = new Set<string>();
    const noting: ClientOptions["fetch"] = (url, init) => {
      called.add(operationOf(init.method ?? "GET", new URL(url).pathname));
      return fetch(url, init);
    };
    const client = await createClient({ fetch: noting });
    await useMemories(client);
    await useSubjects(client);
    await useSuggestions(client);
    await useConversations(client);
    await useLedger(client);
    const { key } = await app.administer(createAdministrationKey, { name: "client" });
    await useAdministration(await createClient({ apiKey: String(key), fetch: noting }));
    const missing = operations.map(({ operationId }) => operationId).filter((id) => !called.has(id));
    expect(missing).toEqual([]);
  });
});

/** The operation of a request. Fixed segments win over parameters, as in the server. */
function operationOf(method: string, pathname: string): string {
  const found = operations
    .filter((operation) => operation.method === method)
    .toSorted((a, b) => a.path.split("{").length - b.path.split("{").length)
    .find(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname));
  return found?.operationId ?? `${method} ${pathname}`;
}

async function useMemories({ memories, checks }: Memledger): Promise<void> {
  const created = await memories.create({
    content: "Releases go out on Tuesdays.",
    memory_type: "fact",
    importance: 0.7,
  });
  expect(created).toMatchObject({ memory_type: "fact", importance: 0.7, expires_at: null });
  expect(await memories.read(created.id)).toMatchObject({ content: "Releases go out on Tuesdays." });
  const updated = await memories.update(created.id, { content: "Releases go out on Wednesdays." });
  expect(updated.content).toBe("Releases go out on Wednesdays.");

  const found = await memories.search({ query: "When do we ship?", mode: "hybrid", top_k: 3 });
  expect(found.results.map(({ memory }) => memory.id)).toEqual([created.id]);
  const injected = await memories.inject({ query: "When do we release?" });
  expect(injected.prompt).toContain("Releases go out on Wednesdays.");
  const extracted = await memories.extract({ text: "Ana: Never deploy on Fridays, please." });
  expect(extracted.extracted.map(({ action }) => action)).toEqual(["created"]);

  const exported = await memories.export({ include_vectors: true, page_size: 1 });
  expect(exported.memories.map(({ id }) => id)).toEqual([created.id]);
  expect([exported.vectors?.length, exported.next_cursor === null]).toEqual([1, false]);
  expect(await Array.fromAsync(memories.iterateExport({ page_size: 1 }))).toHaveLength(2);
  const rule = { content: "Use tabs.", memory_type: "rule", source_id: "style:1" } as const;
  const batch = await memories.createBatch({ memories: [rule, { content: " ", memory_type: "fact" }] });
  expect(batch.results.map(({ status, code }) => [status, code])).toEqual([
    ["created", undefined],
    ["refused", 1400],
  ]);
  expect(await memories.createBatch({ memories: [rule] })).toMatchObject({ existing: 1 });
  await memories.delete(String(batch.results[0]?.id));

  const tagged = await memories.update(created.id, { tags: ["team:web", "a&b = c"] });
  expect(tagged.tags).toEqual(["a&b = c", "team:web"]);
  expect((await memories.tags()).tags.map(({ tag }) => tag)).toEqual(["a&b = c", "team:web"]);
  const source = "wiki:a/b ü?";
  const metadata = { user: "a&b = c", year: 2026 };
  const put = await memories.put(source, { content: "The pantry is full.", memory_type: "fact", metadata });
  const again = await memories.put(source, {
    content: "The pantry is empty.",
    memory_type: "fact",
    metadata,
  });
  expect([again.id, again.metadata]).toEqual([put.id, metadata]);
  const wanted = { user: "a&b = c", year: { gte: 2026 } };
  expect((await memories.list({ metadata: wanted })).memories).toEqual([again]);
  await memories.delete(put.id);
  expect((await memories.statistics()).total).toBe((await memories.list()).pagination.total);
  expect((await memories.list({ tag: ["team:web", "a&b = c"] })).pagination.total).toBe(1);
  expect((await memories.list({ tag: ["team:web", "none"] })).pagination.total).toBe(0);

  const listed = await memories.list({ memory_type: "fact" });
  expect(listed.memories.map(({ id }) => id)).toEqual([created.id]);
  const change = await memories.updateBatch({ memories: [{ memory_id: created.id, importance: 0.1 }] });
  expect(change.results).toEqual([
    {
      index: 0,
      status: "updated",
      id: created.id,
      former: { importance: created.importance },
      updated_at: expect.any(String),
    },
  ]);
  const check = await checks.create({ query: "What is it?", expected_memory_id: created.id });
  expect((await checks.list()).checks).toEqual([check]);
  expect(await checks.run()).toMatchObject({ passed: 1, failed: 0 });
  await checks.delete(check.id);
  const { events } = await memories.history(created.id);
  expect(events.map(({ kind }) => kind)).toEqual(["changed", "changed", "changed", "created"]);
  const kinds: string[] = [];
  for await (const { kind } of memories.iterateHistory(created.id, { page_size: 2 })) kinds.push(kind);
  expect(kinds).toEqual(events.map(({ kind }) => kind));
  expect(await memories.deleteBatch({ memory_ids: ["none"] })).toMatchObject({ deleted: 0, refused: 1 });
  await memories.delete(created.id);
  expect(await memories.deleteAll({ memory_type: "context" })).toEqual({ deleted_count: 0 });
  expect((await memories.deleteAll()).deleted_count).toBe(1);
}

async function useAdministration({ projects, keys, plans, audit }: Memledger): Promise<void> {
  const project = await projects.create({ name: "tenant 1", plan: "pro" });
  expect(await projects.update(project.id, { credits: 5 })).toEqual({ ...project, credits: 5 });
  expect((await projects.show("tenant 1")).credits).toBe(5);
  const refused = await projects.create({ name: "tenant 1" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 400, data: { project_id: project.id } });
  const created = await keys.create({ project: project.id, permissions: ["memory.read", "gateway.use"] });
  expect(await createClient({ apiKey: created.key }).then(({ memories }) => memories.list())).toMatchObject({
    memories: [],
  });
  expect((await keys.update(created.id, { gateway: { memory: false } })).gateway?.memory).toBe(false);
  expect((await keys.list({ project: project.id })).keys.map(({ id }) => id)).toEqual([created.id]);
  expect((await keys.revoke(created.id)).revoked_at).toBeString();
  expect((await projects.list({ text: "tenant" })).projects).toMatchObject([{ id: project.id, keys: 0 }]);
  expect((await plans.list()).plans.map(({ name }) => name)).toContain(project.plan);
  expect((await projects.delete(project.id, { name: "tenant 1" })).id).toBe(project.id);
  const [deletion] = (await audit.listChain({ action: "project.delete" })).logs;
  expect(await audit.showRecord(deletion?.id ?? "")).toMatchObject({ request_body: { name: "tenant 1" } });
}

async function useSuggestions({ suggestions }: Memledger): Promise<void> {
  const ids: string[] = [];
  for (const content of ["One is proposed.", "Two is proposed.", "Three is proposed.", "Four is proposed."])
    ids.push((await suggestions.create({ kind: "create", content, memory_type: "fact" })).id);
  const [accepted = "", refused = "", first = "", second = ""] = ids;
  expect((await suggestions.list({ page_size: 1 })).suggestions).toMatchObject([{ id: second }]);
  expect(await suggestions.read(accepted)).toMatchObject({ kind: "create", outdated: false });
  expect(await suggestions.accept(accepted)).toMatchObject({ changes: [{ change: "created" }] });
  await expect(suggestions.merge(refused)).rejects.toMatchObject({ code: 1400 });
  expect(await suggestions.refuse(refused)).toMatchObject({ id: refused });
  expect(await suggestions.acceptBatch({ suggestion_ids: [first] })).toMatchObject({ decided: 1 });
  expect(await suggestions.refuseBatch({ suggestion_ids: [second] })).toMatchObject({ decided: 1 });
}

async function useConversations({ memories, conversations }: Memledger): Promise<void> {
  for (const conversation of ["chat-1", "chat-2"])
    await memories.extract({
      messages: [{ role: "user", content: `We meet at the mill of ${conversation}.` }],
      conversation,
      detail: "verbatim",
    });
  const names = (await Array.fromAsync(conversations.iterate({ page_size: 1 }))).map(
    ({ conversation }) => conversation,
  );
  expect(names.toSorted()).toEqual(["chat-1", "chat-2"]);
  const { said } = await conversations.read("chat-1");
  expect(said).toMatchObject([{ content: "We meet at the mill of chat-1." }]);
  expect(await conversations.erase("chat-1")).toMatchObject({ erased: true, memories: 1 });
  expect((await conversations.list()).conversations).toMatchObject([{ conversation: "chat-2" }]);
}

async function useSubjects({ memories, subjects, keys }: Memledger): Promise<void> {
  for (const subject of ["ada", "bo"])
    await memories.create({ content: "The user is vegetarian.", memory_type: "fact", subject });
  const listed = (await subjects.list()).subjects.map(({ subject, memories }) => [subject, memories]);
  expect(listed).toEqual([
    ["ada", 1],
    ["bo", 1],
  ]);
  const names = (await Array.fromAsync(subjects.iterate({ page_size: 1 }))).map(({ subject }) => subject);
  expect(names).toEqual(["ada", "bo"]);
  const { token } = await keys.issue({ subject: "ada", permissions: ["memory.read"] });
  const own = await createClient({ apiKey: token });
  expect((await own.memories.list()).memories).toHaveLength(1);
  await keys.revokeIssued();
  expect((await subjects.export("ada")).memories).toHaveLength(1);
  expect(await subjects.erase("ada")).toMatchObject({ erased: true, memories: 1 });
  expect((await subjects.list()).subjects.map(({ subject }) => subject)).toEqual(["bo"]);
}

async function useLedger({ audit }: Memledger): Promise<void> {
  const appended = await audit.append({ action: "gateway.chat", http_status: 200, duration: 812.5 });
  expect(await audit.read(appended.id)).toMatchObject({ action: "gateway.chat", duration: 812.5 });
  const { logs, total } = await audit.list({ action: "gateway.chat" });
  expect([logs.length, total]).toEqual([1, 1]);
  expect((await audit.checkpoint()).note).toContain("\n");
  expect((await audit.checkpointList({ page_size: 5 })).checkpoints[0]?.signed_by).toStartWith("memledger+");
  for await (const { size } of audit.iterateCheckpoint()) expect(size).toBeGreaterThanOrEqual(0);
  expect((await audit.receipt(appended.id, { payload: false })).receipt).toStartWith(
    "c2sp.org/tlog-proof@v1\n",
  );
  const { hash, tree_size: size } = await audit.proof(appended.id);
  expect(hash).toBe((await audit.read(appended.id)).hash ?? "");
  expect(await audit.consistency({ from: size, to: size })).toEqual({ consistency: [] });
  const counted = await audit.statistics();
  expect(counted.records).toBe(counted.head_seq);
  expect(await audit.verify()).toMatchObject({ complete: true });

  const range = { start_time: "2020-01-01", end_time: "2099-01-01" };
  const { export_id } = await audit.export({ ...range, format: "json" });
  const task = await audit.waitForExport(export_id);
  expect((await audit.exportList()).exports.map((each) => each.export_id)).toEqual([export_id]);
  const file = await audit.exportDownload(export_id);
  const bytes = await file.bytes();
  expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(task.sha256 ?? "");
  expect(new TextDecoder().decode(bytes)).toContain(appended.id);
  const manifest = await audit.exportManifest(export_id);
  expect(await manifest.text()).toContain(task.sha256 ?? "no digest");
}

describe("lists", () => {
  test("of memories are read page by page", async () => {
    const requests: string[] = [];
    const client = await createClient({
      fetch(url, init) {
        requests.push(new URL(url).search);
        return fetch(url, init);
      },
    });
    const contents = Array.from({ length: 7 }, (_, index) => `Room ${index} is on floor ${index}.`);
    for (const content of contents) await client.memories.create({ content, memory_type: "fact" });
    requests.length = 0;
    const found: string[] = [];
    for await (const memory of client.memories.iterate({ page_size: 3, sort_dir: "asc" }))
      found.push(memory.content);
    expect(found).toEqual(contents);
    expect(requests).toHaveLength(3);
    expect(requests[0]).toBe("?page_size=3&sort_dir=asc");
    for (const request of requests.slice(1))
      expect(request).toMatch(/^\?page_size=3&sort_dir=asc&cursor=[\w-]+$/);
    expect(new Set(requests).size).toBe(3);
    requests.length = 0;
    for await (const _ of client.memories.iterate({ page_size: 3 })) break;
    expect(requests).toHaveLength(1);
  });

  test("of tags are read page by page", async () => {
    const client = await createClient();
    const tags = ["a", "b", "c", "d", "e"];
    await client.memories.create({ content: "A room with tags.", memory_type: "fact", tags });
    const found: string[] = [];
    for await (const { tag } of client.memories.iterateTags({ page_size: 2 })) found.push(tag);
    expect(found).toEqual(tags);
  });

  test("of records are read by cursor, each record once although every page adds one", async () => {
    const client = await createClient();
    for (let index = 0; index < 5; index++)
      await client.audit.append({ action: "gateway.chat", http_status: 200, metadata: { index } });
    const sequence: number[] = [];
    for await (const record of client.audit.iterate({ page_size: 2 })) sequence.push(record.seq);
    expect(sequence).toEqual([5, 4, 3, 2, 1]);
  });

  test("that are empty end at once", async () => {
    const client = await createClient();
    for await (const memory of client.memories.iterate()) throw new Error(`found ${memory.id}`);
    for await (const record of client.audit.iterate({ action: "gateway.none" })) throw new Error(record.id);
  });
});

describe("refusals", () => {
  test("have a class, a status, a code, a message and data", async () => {
    const client = await createClient();
    const { id } = await client.memories.create({ content: "Known.", memory_type: "fact" });
    const again = await failure(client.memories.create({ content: "Known.", memory_type: "rule" }));
    expect(again).toBeInstanceOf(ConflictError);
    expect(again).toMatchObject({
      name: "ConflictError",
      status: 409,
      code: 2104,
      data: { memory_id: id },
      retryAfterSeconds: null,
    });
    const invalid = await failure(client.memories.search({ query: "x", top_k: 0 }));
    expect(invalid).toBeInstanceOf(BadRequestError);
    expect(invalid).toMatchObject({ status: 400, code: 1400, data: { field: "top_k" } });
    expect(invalid.message).toContain("top_k");
    const unknown = await failure(client.memories.read("0".repeat(32)));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ status: 404, code: 2100 });
    const large = await failure(
      client.audit.append({ action: "a.b", http_status: 200, error_msg: "x".repeat(2 ** 21) }),
    );
    expect(large).toBeInstanceOf(BadRequestError);
    expect(large).toMatchObject({ status: 413, code: 1413 });
  });

  test("of keys, plans and credits", async () => {
    const unknown = new Memledger({ apiKey: "ml_unknown", baseUrl: app.url });
    expect(await failure(unknown.memories.list())).toBeInstanceOf(AuthenticationError);
    const { id } = await app.createProject("business");
    const reading = await app.createKey(id, ["memory.read"]);
    const reader = new Memledger({ apiKey: reading.key, baseUrl: app.url });
    const denied = await failure(reader.memories.create({ content: "x", memory_type: "fact" }));
    expect(denied).toBeInstanceOf(PermissionDeniedError);
    expect(denied).toMatchObject({ code: 1403 });
    const free = new Memledger({ apiKey: (await app.createProject("free")).key, baseUrl: app.url });
    expect(await failure(free.memories.list())).toMatchObject({ status: 403, code: 2106 });
    expect(PaymentRequiredError.prototype).toBeInstanceOf(ApiError);
  });

  test("of a wrong base URL say so", async () => {
    const client = new Memledger({ apiKey: app.apiKey, baseUrl: `${app.url}/elsewhere` });
    const error = await failure(client.memories.list());
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 1404 });
  });
});

test("calls above the rate of the plan succeed after the time that the server names", async () => {
  const { key } = await app.createProject("basic");
  let waits = 0;
  // The time passes on the clock of the server only.
  const sleep = async (ms: number) => {
    waits += 1;
    app.passTime(ms);
  };
  const client = new Memledger({ apiKey: key, baseUrl: app.url, sleep, maxRetries: 20 });
  const calls = Array.from({ length: 150 }, () => client.memories.list({ page_size: 1 }));
  expect((await Promise.all(calls)).map(({ pagination }) => pagination.total)).toEqual(Array(150).fill(0));
  expect(waits).toBeGreaterThan(0);
});

describe("what is sent", () => {
  test("is text of every language, unchanged", async () => {
    const { id, key } = await app.createProject("business");
    const client = new Memledger({ apiKey: key, baseUrl: app.url });
    const content = 'Zoë wohnt in 東京 🗼 — \u202eעברית\u202c, "quotes" \\ und\nZeilen\u2028.';
    const ticket = "Größe 🗼 \u0001";
    const created = await client.memories.create(
      { content, memory_type: "fact" },
      { auditMetadata: { ticket } },
    );
    expect((await client.memories.read(created.id)).content).toBe(content);
    const [first] = app.records(id);
    expect(first?.payload).toMatchObject({
      metadata: { ticket },
      user_agent: `memledger-typescript/${version}`,
      request_body: { content },
    });
    const found = await client.memories.search({ query: "東京 🗼", mode: "hybrid" });
    expect(found.results[0]?.memory.content).toBe(content);
    const lone = await failure(client.memories.create({ content: "\ud800", memory_type: "fact" }));
    expect(lone).toMatchObject({ status: 400, code: 1400 });
  });

  test("is as large as the API allows", async () => {
    const client = await createClient();
    const content = "漢".repeat(10_000);
    const { id } = await client.memories.create({ content, memory_type: "fact" });
    expect((await client.memories.read(id)).content).toBe(content);
    const request_body = { text: "ü".repeat(500_000) };
    const appended = await client.audit.append({ action: "gateway.chat", http_status: 200, request_body });
    expect((await client.audit.read(appended.id)).request_body).toEqual(request_body);
  });

  test("is no identifier that would change the path", async () => {
    const client = await createClient();
    await client.memories.create({ content: "Stays.", memory_type: "fact" });
    for (const id of ["", ".", ".."]) {
      const error = await failure(client.memories.delete(id));
      expect(error.message).toBe("memoryDelete needs an identifier as memory_id.");
    }
    const untyped: Pick<Memledger["memories"], "read"> = client.memories;
    expect(await failure(Reflect.apply(untyped.read, untyped, []))).toBeInstanceOf(MemledgerError);
    for (const id of ["a/../b", "../../memories", "a?b=c#d", "%2e%2e", "é"])
      expect(await failure(client.memories.delete(id))).toMatchObject({ status: 404, code: 2100 });
    expect((await client.memories.list()).pagination.total).toBe(1);
  });

  test("is no deletion of everything because a variable is undefined", async () => {
    const client = await createClient();
    await client.memories.create({ content: "Stays.", memory_type: "fact" });
    const error = await failure(client.memories.deleteAll({ memory_type: undefined }));
    expect(error.message).toContain("memory_type is undefined. Omit it");
    expect((await client.memories.list({ memory_type: undefined })).pagination.total).toBe(1);
  });

  test("names the person of the client or of the call, in any script", async () => {
    const { id, key } = await app.createProject("custom");
    const client = await createClient({ apiKey: key, onBehalfOf: "Zoë 東京" });
    await client.memories.list();
    await client.memories.list({}, { onBehalfOf: "bo@example.com" });
    const named = app.records(id).map(({ payload }) => payload.on_behalf_of);
    expect(named).toEqual(["Zoë 東京", "bo@example.com"]);
    expect((await client.audit.list({ on_behalf_of: "bo@example.com" })).logs).toHaveLength(1);
    const error = await failure(client.memories.list({}, { onBehalfOf: "a\nb" }));
    expect(error.message).toBe('onBehalfOf is "a\\nb". Give a name without control characters.');
  });

  test("is no metadata that is not an object", async () => {
    const client = await createClient();
    const wrong: Record<string, unknown> = JSON.parse("[1]");
    const error = await failure(client.memories.list({}, { auditMetadata: wrong }));
    expect(error.message).toBe("auditMetadata is no JSON object.");
  });
});

describe("options", () => {
  test("without a key on purpose: the fetch adds credentials of its own", async () => {
    const fetchWithKey = (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      expect(headers.has("Authorization")).toBe(false);
      headers.set("Authorization", `Bearer ${app.apiKey}`);
      return fetch(url, { ...init, headers });
    };
    const client = new Memledger({ apiKey: null, baseUrl: app.url, fetch: fetchWithKey });
    expect(await client.memories.list({ page_size: 1 })).toBeDefined();
  });

  test("have the key from the environment, and defaults", async () => {
    const { MEMLEDGER_API_KEY: former } = process.env;
    try {
      process.env.MEMLEDGER_API_KEY = ` ${app.apiKey}\n`;
      const urls: string[] = [];
      const record = async (url: string, init: RequestInit) => {
        urls.push(url);
        return fetch(url.replace("http://127.0.0.1:8420", app.url), init);
      };
      expect(await new Memledger({ fetch: record }).memories.list({ page_size: 1 })).toBeDefined();
      expect(urls).toEqual(["http://127.0.0.1:8420/v1/memories?page_size=1"]);
      delete process.env.MEMLEDGER_API_KEY;
      expect(() => new Memledger()).toThrow("No API key. Give apiKey, or set MEMLEDGER_API_KEY.");
    } finally {
      if (former !== undefined) process.env.MEMLEDGER_API_KEY = former;
    }
  });

  test.each<[string, ClientOptions, RegExp]>([
    ["an empty key", { apiKey: " " }, /^No API key/],
    ["a key with a line break", { apiKey: "ml_secret\nX-Other: 1" }, /character that no key has/],
    ["a key of another language", { apiKey: "ml_sécret" }, /character that no key has/],
    ["an address without a scheme", { baseUrl: "localhost:8420" }, /^baseUrl is no address/],
    ["a file", { baseUrl: "file:///etc/passwd" }, /^baseUrl is no address/],
    ["an address with a query", { baseUrl: "http://127.0.0.1:8420/?a=b" }, /without a query/],
    ["an address with a password", { baseUrl: "http://me:secret@127.0.0.1:8420" }, /Give the key as apiKey/],
    ["no time", { timeoutMs: 0 }, /^timeoutMs is 0/],
    ["a time that a timer cannot wait", { timeoutMs: Number.POSITIVE_INFINITY }, /^timeoutMs is Infinity/],
    ["half a retry", { maxRetries: 0.5 }, /^maxRetries is 0.5/],
    ["a negative number of retries", { maxRetries: -1 }, /^maxRetries is -1/],
  ])("%s is refused", (_, options, message) => {
    const create = () => new Memledger({ apiKey: "ml_test", ...options });
    expect(create).toThrow(MemledgerError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/s.cret/);
  });

  test("accept an address with a path and slashes at its end", async () => {
    const client = new Memledger({ apiKey: app.apiKey, baseUrl: `${app.url}//` });
    expect((await client.memories.list({ page_size: 1 })).pagination.page_size).toBe(1);
  });
});

/** The error that a call is rejected with. */
async function failure(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("the call did not fail");
}
