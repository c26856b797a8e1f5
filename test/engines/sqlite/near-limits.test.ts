// Tests the queries for what expires soon and what is almost used up, and those about one project, on the database of a real server.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defaultPlans } from "../../../src/access/plan.ts";
import { createKey, revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { deleteProject, updateProject } from "../../../src/calls/operations/access/project-operations.ts";
import type { NearLimitsQuery } from "../../../src/calls/storage/statistics.ts";
import { createChainContentsReader } from "../../../src/engines/sqlite/chain-contents.ts";
import { openReading } from "../../../src/engines/sqlite/database-file/connection.ts";
import { createNearLimitsReader } from "../../../src/engines/sqlite/near-limits.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

const dayMs = 86_400_000;
let app: TestApp;
let database: ReturnType<typeof openReading>;

beforeAll(async () => {
  app = await startTestApp();
  const { database: path, runtime } = locate(app.config.dataDir);
  database = openReading({ path, runtime: prepareRuntime(runtime) });
});
afterAll(async () => {
  database.close();
  await app.stop();
});

const query = (fields: Partial<NearLimitsQuery> = {}): NearLimitsQuery => ({
  now: Date.now(),
  expiresBefore: Date.now() + 14 * dayMs,
  memoryLimits: {
    free: defaultPlans.free.memoryLimit,
    basic: 2,
    pro: null,
    business: null,
    custom: null,
  },
  memoryShareMin: 0.9,
  creditsMax: 20,
  namedMax: 2,
  ...fields,
});
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

test("nothing is near a limit at first", () => {
  const none = { count: 0, first: [] };
  expect(createNearLimitsReader(database)(query())).toEqual({ keys: none, memories: none, credits: none });
});

describe("what is near a limit", () => {
  test("keys that expire soon, the first ones first; neither revoked nor expired ones, nor those of deleted projects", async () => {
    const { id } = await app.createProject("pro");
    const gone = await app.createProject("pro");
    const create = (name: string, days: number, project = id) =>
      app.administer(createKey, {
        project,
        name,
        permissions: ["memory.read"],
        expires_at: inDays(days),
      });
    await create("later", 13);
    await create("too late", 15);
    await create("sooner", 1);
    await create("third", 14 - 0.1);
    const revoked = await create("revoked", 2);
    await app.administer(revokeKey, { key: String(revoked.id) });
    await create("of a deleted project", 2, gone.id);
    await app.administer(deleteProject, { project: gone.id });
    const { keys } = createNearLimitsReader(database)(query());
    expect([keys.count, keys.first.map(({ name, projectId }) => [name, projectId])]).toEqual([
      3,
      [
        ["sooner", id],
        ["later", id],
      ],
    ]);
    const { keys: later } = createNearLimitsReader(database)(
      query({ now: Date.now() + 1.5 * dayMs, expiresBefore: Date.now() + 13.5 * dayMs }),
    );
    expect(later.first.map(({ name }) => name)).toEqual(["later"]);
  });

  test("projects by their plan or their own limit, and by their credits", async () => {
    const full = await app.createProject("basic");
    const own = await app.createProject("pro", { memory_limit: 1, credits: 20 });
    await app.createProject("pro", { credits: 21 });
    for (const { key } of [full, own]) {
      for (const content of key === own.key ? ["One."] : ["One.", "Two."]) {
        const body = { content, memory_type: "fact" };
        expect((await app.call("POST", "/v1/memories", { key, body })).status).toBe(201);
      }
    }
    const read = createNearLimitsReader(database);
    const { memories, credits } = read(query());
    expect(memories.first).toMatchObject([
      { projectId: full.id, memories: 2, limit: 2 },
      { projectId: own.id, memories: 1, limit: 1 },
    ]);
    expect([credits.count, credits.first]).toMatchObject([1, [{ projectId: own.id, credits: 20 }]]);
    await app.administer(updateProject, { project: own.id, memory_limit: 100 });
    expect(read(query()).memories.count).toBe(1);
    expect(read(query({ creditsMax: -1 })).credits.count).toBe(0);
  });
});

describe("one project", () => {
  const read = (project: string | null) => createChainContentsReader(database, "/exports")(project);

  test("has its newest record, its memories and its limits", async () => {
    const { id, key } = await app.createProject("business", { credits: 7 });
    await app.call("POST", "/v1/memories", { key, body: { content: "One.", memory_type: "rule" } });
    await app.call("GET", "/v1/memories", { key });
    const { newestSequence, memories, project, exports } = read(id);
    expect([newestSequence, exports]).toEqual([2, []]);
    expect(memories).toEqual([
      { type: "context", memories: 0 },
      { type: "fact", memories: 0 },
      { type: "passage", memories: 0 },
      { type: "rule", memories: 1 },
    ]);
    expect(project).toMatchObject({ plan: "business", subscription: "active", credits: 7 });
  });

  test("has its exports, and no other project's", async () => {
    const { id, key } = await app.createProject("business");
    const times = { start_time: inDays(-1), end_time: inDays(1) };
    const body = { format: "csv", ...times };
    const made = await app.call("POST", "/v1/audit/logs/export", { key, body });
    expect(read(id).exports.map((each) => each.id)).toEqual([String(made.data.export_id)]);
    expect(read(app.projectId).exports).toEqual([]);
  });

  test("the installation has its newest record only", () => {
    expect(read(null)).toMatchObject({ memories: [], project: null, exports: [] });
    expect(read(null).newestSequence).toBe(app.countRecords(null));
  });

  test("one that does not exist has nothing", () => {
    expect(read("0".repeat(32))).toEqual({ newestSequence: 0, memories: [], project: null, exports: [] });
  });
});
