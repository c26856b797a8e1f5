// Lets system calls of the thread that changes cache files fail, one kind at a time: whatever a failure leaves behind, no vector stays in a file
// when the wiping of its memory has returned.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReading } from "../../../../src/engines/sqlite/database-file/connection.ts";
import {
  type CacheWriter,
  createCacheWriter,
} from "../../../../src/engines/sqlite/search-cache/cache-writer.ts";
import { prepareRuntime } from "../../../../src/platform/native/runtime.ts";
import type { Database } from "../../../../src/platform/native/sqlite.ts";
import { locate } from "../../../../src/server/data-directory/data-directory.ts";
import { failCalls } from "../../../crash/disk-faults.ts";
import { whyNoTrace } from "../../../crash/record.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { describeWith } from "../../../needs.ts";
import { cachedSerials, hasVector, imagesOf, stateNow, writeCacheFiles } from "./cached-database.ts";

const runtime = prepareRuntime("unused-from-source");
const removals = "unlink,unlinkat,rmdir";

let app: TestApp;
let folder = "";
let database: Database;
let writer: CacheWriter;
let project = { id: "", key: "" };
let ids: string[] = [];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

beforeEach(async () => {
  folder = join(app.config.dataDir, "cache-of-test");
  database = openReading({ path: locate(app.config.dataDir).database, runtime });
  writer = createCacheWriter({ database, folder, maxBytes: 1e9 });
  project = await app.createProject("custom");
  ids = [];
  for (let at = 0; at < 4; at++) await create(`fact ${at}`);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function create(content: string): Promise<void> {
  const body = { content: `${project.id} ${content}`, memory_type: "fact" };
  const { status, data } = await app.call("POST", "/v1/memories", { key: project.key, body });
  expect(status).toBe(201);
  ids.push(String(data.id));
}
/** @returns its serial */
async function remove(at: number): Promise<number> {
  const serial = serialOf(at);
  expect((await app.call("DELETE", `/v1/memories/${ids[at]}`, { key: project.key })).status).toBe(204);
  return serial;
}
const serialOf = (at: number) =>
  Number(database.prepare("SELECT serial FROM memory WHERE id = ?").pluck().get(ids[at]));
const write = (...capacities: readonly number[]) => writeCacheFiles(writer, database, project.id, capacities);
const cached = () => cachedSerials(join(folder, project.id));

async function whileFailing<Result>(injection: string, work: () => Result, paths: readonly string[] = []) {
  const end = await failCalls(process.pid, injection, paths);
  try {
    return work();
  } finally {
    await end();
  }
}

/** Wipes as a delete does before it is answered. @returns whether the delete may be answered */
function wipe(): boolean {
  try {
    writer.wipeDeleted(project.id);
    return true;
  } catch {
    return false;
  }
}

describeWith(whyNoTrace())("when system calls fail", () => {
  test.each(["ENOSPC", "EIO"])("a block that cannot be written leaves nothing (%s)", async (error) => {
    expect(write(64, 64)).toBe(2);
    await create("one more");
    await whileFailing(`fdatasync:error=${error}`, () => expect(() => write(64, 64)).toThrow(error));
    expect(readdirSync(join(folder, project.id))).toHaveLength(3);
    expect(cached()).toEqual([0, 1, 2, 3].map(serialOf));
    expect(write(64, 64)).toBe(2);
    expect(cached()).toEqual([0, 1, 2, 3, 4].map(serialOf));
  });

  test("a block that cannot be written and not be removed either is not forgotten", async () => {
    expect(write(64, 64)).toBe(2);
    await create("one more");
    const failed = `fdatasync,${removals}:error=EIO`;
    await whileFailing(failed, () => expect(() => write(64, 64)).toThrow("EIO"));
    expect(readdirSync(join(folder, project.id))).toHaveLength(4);
    const serial = await remove(0);
    await whileFailing(`${removals}:error=EIO`, () => expect(wipe()).toBe(false));
    expect(wipe()).toBe(true);
    expect(hasVector(folder, serial)).toBe(false);
    expect(readdirSync(join(folder, project.id))).toHaveLength(3);
    expect(cached()).toEqual([1, 2, 3].map(serialOf));
  });

  test("blocks that are given up and cannot be removed are not forgotten", async () => {
    const { draft } = stateNow(database, project.id);
    writer.begin(draft);
    const [image = new SharedArrayBuffer(0)] = imagesOf(database, project.id, [64, 64]);
    writer.write(project.id, image);
    await whileFailing(`${removals}:error=EIO`, () => {
      expect(() => writer.abandon(project.id)).toThrow("EIO");
    });
    const serial = await remove(0);
    expect(hasVector(folder, serial)).toBe(true);
    expect(wipe()).toBe(true);
    expect(hasVector(folder, serial)).toBe(false);
  });

  test.each([
    ["one block", [64]],
    ["several blocks", [64, 64]],
  ])(
    "a manifest of %s that has its name counts, although its folder cannot be synced",
    async (_, capacities) => {
      expect(write(...capacities)).toBe(capacities.length);
      await create("one more");
      const path = join(folder, project.id);
      await whileFailing("fsync:error=EIO", () => expect(() => write(...capacities)).toThrow("EIO"), [path]);
      writer.abandon(project.id);
      const serial = await remove(4);
      const other = await remove(0);
      expect(wipe()).toBe(true);
      expect(hasVector(folder, serial)).toBe(false);
      expect(hasVector(folder, other)).toBe(false);
      expect(cached()).toEqual([1, 2, 3].map(serialOf));
    },
  );

  test("a manifest that cannot be written leaves the previous one", async () => {
    expect(write(64)).toBe(1);
    await create("one more");
    for (const injection of [
      "pwrite64:error=ENOSPC",
      "fdatasync:error=EIO",
      "rename,renameat,renameat2:error=EIO",
    ]) {
      const index = join(folder, project.id, "index");
      await whileFailing(injection, () => expect(() => write(64)).toThrow(), [index, `${index}.new`]);
      writer.abandon(project.id);
      expect(readdirSync(join(folder, project.id))).toEqual(["index"]);
      expect(cached()).toEqual([0, 1, 2, 3].map(serialOf));
    }
  });

  test.each([
    ["one block", [64]],
    ["several blocks", [64, 64]],
  ])(
    "rows of %s that cannot be wiped are removed with their files, or the delete is not answered",
    async (_, capacities) => {
      expect(write(...capacities)).toBe(capacities.length);
      const first = await remove(0);
      await whileFailing(`pwrite64,${removals}:error=EIO`, () => expect(wipe()).toBe(false));
      expect(hasVector(folder, first)).toBe(true);
      await whileFailing("pwrite64:error=ENOSPC", () => expect(wipe()).toBe(true));
      expect(cached()).toBeNull();
      expect(write(...capacities)).toBe(capacities.length);
      expect(cached()).toEqual([1, 2, 3].map(serialOf));
    },
  );

  test("an erasure whose wiping cannot be synced removes the files", async () => {
    expect(write(64, 64)).toBe(2);
    const first = await remove(0);
    await whileFailing("fdatasync:error=EIO", () => expect(writer.check(project.id, true)).toBeNull());
    expect(hasVector(folder, first)).toBe(false);
    expect(cached()).toBeNull();
  });
});

describeWith(whyNoTrace())("when system calls of a running server fail", () => {
  const cache = () => join(app.config.dataDir, "cache", "search");
  const index = () => join(cache(), project.id, "index");
  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, { key: project.key, body });
  const search = async () => {
    const { status, data } = await call("POST", "/v1/memories/search", {
      query: `${project.id} fact 2`,
      top_k: 10,
    });
    expect(status).toBe(200);
    const results = Array.isArray(data.results) ? data.results : [];
    return results.map((result) => JSON.parse(JSON.stringify(result)).memory.id);
  };
  const until = async (isSo: () => boolean) => {
    for (let waits = 0; !isSo() && waits < 1_000; waits++) await Bun.sleep(10);
    expect(isSo()).toBe(true);
  };
  const writeFiles = async () => {
    await search();
    app.passTime(60_000);
    await until(() => existsSync(index()));
  };
  const complaints = () => app.complaints.splice(0).join("");

  test("searches, creates and deletes go on, with one line in the log, and files are written when the disk has room", async () => {
    const end = await failCalls(process.pid, "pwrite64:error=ENOSPC", [`${index()}.new`]);
    const before = await search();
    app.passTime(60_000);
    await until(() => app.complaints.length > 0);
    expect(await search()).toEqual(before);
    await create("fact 2, again");
    expect(await search()).toContain(ids.at(-1));
    expect((await call("DELETE", `/v1/memories/${ids[0]}`)).status).toBe(204);
    app.passTime(60_000);
    await search();
    expect(existsSync(index())).toBe(false);
    await end();
    expect(complaints().match(/cannot be written to cache files/g)).toHaveLength(1);
    await writeFiles();
    expect(cachedSerials(join(cache(), project.id))).toEqual([1, 2, 3, 4].map(serialOf));
  });

  test("a project whose files cannot be written does not prevent those of others, also at the end of the server", async () => {
    const bad = project;
    const good = await app.createProject("custom");
    /** The index that was used last is written first. */
    const searchBoth = async () => {
      for (const each of [good, bad]) {
        project = each;
        await search();
      }
    };
    project = good;
    await create("fact 2 of another project");
    await searchBoth();
    rmSync(join(cache(), bad.id), { recursive: true, force: true });
    writeFileSync(join(cache(), bad.id), "not a folder");
    project = good;
    rmSync(join(cache(), good.id), { recursive: true, force: true });
    await app.restart();
    expect(existsSync(index())).toBe(true);
    rmSync(join(cache(), good.id), { recursive: true });
    await app.restart();
    await create("fact 3 of another project");
    await searchBoth();
    project = good;
    app.passTime(10_000);
    await until(() => existsSync(index()));
    await until(() => app.complaints.join("").includes("cannot be written to cache files"));
    complaints();
    rmSync(join(cache(), bad.id));
  });

  test("vectors that a delete could not remove are removed soon after", async () => {
    await writeFiles();
    const serial = serialOf(1);
    const end = await failCalls(process.pid, `pwrite64,${removals}:error=EIO`, [
      index(),
      join(cache(), project.id),
    ]);
    const { code, message, data } = await call("DELETE", `/v1/memories/${ids[1]}`);
    expect(code).toBe(1503);
    expect(data).toEqual({ outcome: "unknown" });
    expect(message).toContain("their vectors may still be in cache files");
    expect(await search()).not.toContain(ids[1]);
    expect(cachedSerials(join(cache(), project.id))).toContain(serial);
    await end();
    // No other call is needed.
    app.passTime(10_000);
    await until(() => !(cachedSerials(join(cache(), project.id)) ?? []).includes(serial));
    expect(complaints()).toContain("may still be in cache files");
  });
});
