// Deletes of a running server over HTTP and by commands: when they are answered, the cache files have nothing of the deleted memories.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deleteProject } from "../../../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../../../src/calls/operations/ledger/erase-records.ts";
import { openReading } from "../../../../src/engines/sqlite/database-file/connection.ts";
import { createCacheWriter } from "../../../../src/engines/sqlite/search-cache/cache-writer.ts";
import { prepareRuntime } from "../../../../src/platform/native/runtime.ts";
import { locate } from "../../../../src/server/data-directory/data-directory.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { notRoot, testWith } from "../../../needs.ts";
import { cachedSerials, hasBytes, hasVector, writeCacheFiles } from "./cached-database.ts";

const runtime = prepareRuntime("unused-from-source");

let app: TestApp;
let folder = "";
let project = { id: "", key: "" };
/** Of the memories in the cache files. */
let ids: string[] = [];
let serials: number[] = [];

beforeAll(async () => {
  app = await startTestApp();
  folder = join(app.config.dataDir, "cache", "search");
});
afterAll(() => app.stop());
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function withDatabase<Result>(work: (database: ReturnType<typeof openReading>) => Result): Result {
  const database = openReading({ path: locate(app.config.dataDir).database, runtime });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

async function create(content: string, fields: object = {}): Promise<string> {
  const body = { content: `${project.id} ${content}`, memory_type: "fact", ...fields };
  const { status, data } = await app.call("POST", "/v1/memories", { key: project.key, body });
  expect(status).toBe(201);
  return String(data.id);
}

/** Cache files of what the project has, written while no server runs. */
async function cacheAll(): Promise<void> {
  await app.restart(() =>
    withDatabase((database) => {
      const writer = createCacheWriter({ database, folder, maxBytes: 1e9 });
      expect(writeCacheFiles(writer, database, project.id, [64, 64])).toBe(2);
      serials = ids.map((id) =>
        Number(database.prepare("SELECT serial FROM memory WHERE id = ?").pluck().get(id)),
      );
    }),
  );
  expect(cachedSerials(join(folder, project.id))).toEqual(serials);
}

const cached = () => cachedSerials(join(folder, project.id));
const send = (method: string, path: string, body?: object) =>
  app.call(method, path, { key: project.key, body });

beforeEach(async () => {
  project = await app.createProject("custom");
  ids = [];
  for (let at = 0; at < 4; at++) ids.push(await create(`fact ${at}`, at === 3 ? { tags: ["t"] } : {}));
});

test("of one memory, and of several at once", async () => {
  await cacheAll();
  expect((await send("DELETE", `/v1/memories/${ids[0]}`)).status).toBe(204);
  expect(cached()).toEqual(serials.slice(1));
  expect(hasVector(folder, serials[0] ?? 0)).toBe(false);
  const both = await Promise.all([
    send("DELETE", `/v1/memories/${ids[1]}`),
    send("DELETE", `/v1/memories/${ids[2]}`),
  ]);
  expect(both.map(({ status }) => status)).toEqual([204, 204]);
  expect(cached()).toEqual(serials.slice(3));
});

test("by tags, and of all memories", async () => {
  await cacheAll();
  expect((await send("DELETE", "/v1/memories", { tags: ["t"] })).data.deleted_count).toBe(1);
  expect(cached()).toEqual(serials.slice(0, 3));
  expect(hasVector(folder, serials[3] ?? 0)).toBe(false);
  expect(hasVector(folder, serials[2] ?? 0)).toBe(true);
  expect((await send("DELETE", "/v1/memories")).data.deleted_count).toBe(3);
  expect(existsSync(join(folder, project.id))).toBe(false);
});

test("of a project, by the server and by a command without one", async () => {
  await cacheAll();
  await app.administer(deleteProject, { project: project.id });
  expect(existsSync(join(folder, project.id))).toBe(false);
  project = await app.createProject("custom");
  ids = [await create("one"), await create("two")];
  await cacheAll();
  await app.restart(async () => {
    await app.administer(deleteProject, { project: project.id });
    expect(existsSync(join(folder, project.id))).toBe(false);
  });
});

test("by an erasure, which wipes former contents of changed memories, too", async () => {
  await cacheAll();
  await send("PUT", `/v1/memories/${ids[1]}`, { content: `${project.id} something else` });
  expect(hasVector(folder, serials[1] ?? 0)).toBe(true);
  await app.administer(eraseRecords, { memory: ids[0] ?? "", delete_memory: true });
  expect(cached()).toEqual(serials.slice(2));
  expect(hasVector(folder, serials[1] ?? 0)).toBe(false);
});

test("of tags that no other memory has, which an erasure removes from every file", async () => {
  ids.push(await create("tagged", { tags: ["tag-of-the-deleted"] }));
  ids.push(await create("tagged, too", { tags: ["tag-of-the-erased"] }));
  expect((await send("POST", "/v1/memories/search", { query: "tagged" })).status).toBe(200);
  app.passTime(10_000);
  while (!existsSync(join(folder, project.id, "index"))) await Bun.sleep(10);
  expect(hasBytes(folder, "tag-of-the-deleted")).toBe(true);
  expect((await send("DELETE", `/v1/memories/${ids[4]}`)).status).toBe(204);
  expect(hasBytes(folder, "tag-of-the-deleted")).toBe(false);
  expect(hasBytes(folder, "tag-of-the-erased")).toBe(true);
  await app.administer(eraseRecords, { memory: ids[5] ?? "", delete_memory: true });
  expect(hasBytes(app.config.dataDir, "tag-of-the-erased")).toBe(false);
});

test("before the server was started, by a version that knew no cache", async () => {
  await cacheAll();
  await app.restart();
  // As that version: the effect of the delete is missing.
  const aside = `${folder}-aside`;
  mkdirSync(aside);
  await app.restart(() => void Bun.spawnSync(["cp", "-r", `${folder}/.`, aside]));
  await send("DELETE", `/v1/memories/${ids[0]}`);
  await app.restart(() => void Bun.spawnSync(["cp", "-r", `${aside}/.`, folder]));
  rmSync(aside, { recursive: true });
  // The files are compared in the background; a delete waits for it.
  await send("DELETE", `/v1/memories/${ids[1]}`);
  expect(cached()).toEqual(serials.slice(2));
  expect(hasVector(folder, serials[0] ?? 0)).toBe(false);
});

test("does not fail because of what else is in the folder", async () => {
  await cacheAll();
  writeFileSync(join(folder, "notes.txt"), "mine");
  writeFileSync(join(folder, "0".repeat(32)), "a file in the place of a folder");
  await app.restart();
  expect((await send("DELETE", `/v1/memories/${ids[0]}`)).status).toBe(204);
  expect(cached()).toEqual(serials.slice(1));
  expect(readdirSync(folder).toSorted()).toContain("notes.txt");
});

testWith(notRoot)("is answered with 1503 when the files cannot be changed", async () => {
  await cacheAll();
  const path = join(folder, project.id);
  for (const name of readdirSync(path)) chmodSync(join(path, name), 0o400);
  chmodSync(path, 0o500);
  const { code, message } = await send("DELETE", `/v1/memories/${ids[0]}`);
  chmodSync(path, 0o700);
  expect(code).toBe(1503);
  expect(message).toContain("their vectors may still be in cache files");
  expect(app.complaints.splice(0).join("")).toContain("may still be in cache files");
});
