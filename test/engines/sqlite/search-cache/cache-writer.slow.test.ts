// Holds the thread that changes cache files to its promise, with the database of a running server: no vector stays in a file whose memory was
// deleted, whatever happens at the same time, and files of another state are removed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openReading, openWriting } from "../../../../src/engines/sqlite/database-file/connection.ts";
import { createCacheFacts } from "../../../../src/engines/sqlite/search-cache/cache-facts.ts";
import {
  type CacheWriter,
  createCacheWriter,
} from "../../../../src/engines/sqlite/search-cache/cache-writer.ts";
import { openCacheFiles } from "../../../../src/engines/sqlite/search-cache/project-files.ts";
import { prepareRuntime } from "../../../../src/platform/native/runtime.ts";
import type { Database } from "../../../../src/platform/native/sqlite.ts";
import { locate } from "../../../../src/server/data-directory/data-directory.ts";
import { normalise } from "../../../calls/storage/seam.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { passage, storePassages } from "../direct-transaction.ts";
import {
  cachedSerials,
  hasBytes,
  hasVector,
  imagesOf,
  stateNow,
  writeCacheFiles,
} from "./cached-database.ts";

const runtime = prepareRuntime("unused-from-source");
const dimensions = 384;

let app: TestApp;
let folder = "";
let database: Database;
let writer: CacheWriter;
let project = { id: "", key: "" };

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** As a start of the thread: it knows nothing. */
function open(maxBytes = 1e9): void {
  database = openReading({ path: locate(app.config.dataDir).database, runtime });
  writer = createCacheWriter({ database, folder, maxBytes });
}
function reopen(maxBytes = 1e9): void {
  database.close();
  open(maxBytes);
}

beforeEach(async () => {
  folder = join(app.config.dataDir, "cache-of-test");
  open();
  project = await app.createProject("custom");
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function create(content: string, fields: object = {}): Promise<string> {
  const { status, data } = await app.call("POST", "/v1/memories", {
    key: project.key,
    body: { content, memory_type: "fact", ...fields },
  });
  expect(status).toBe(201);
  return String(data.id);
}
const call = async (method: string, path: string, body?: object) => {
  const { status } = await app.call(method, path, { key: project.key, body });
  expect(status).toBeLessThan(300);
};
const createSome = async (count: number, fields: object = {}) => {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await create(`${project.id} fact number ${at}`, fields));
  return ids;
};
const serialOf = (id: string) =>
  Number(database.prepare("SELECT serial FROM memory WHERE id = ?").pluck().get(id));

const stateOf = () => stateNow(database, project.id);
const images = (...capacities: readonly number[]) => imagesOf(database, project.id, capacities);
const write = (...capacities: readonly number[]) =>
  expect(writeCacheFiles(writer, database, project.id, capacities)).toBe(capacities.length);
const cached = () => cachedSerials(join(folder, project.id));
const sizeOf = () => statSync(join(folder, project.id, "index")).size;
const isAnywhere = (serial: number) => hasVector(folder, serial);

describe.each([
  ["one block", [64]],
  ["several blocks", [64, 128]],
])("with cache files of %s", (_, capacities) => {
  test("they are found by the next start", async () => {
    const ids = await createSome(6);
    write(...capacities);
    expect(cached()).toEqual(ids.map(serialOf));
    reopen();
    expect(writer.list()).toEqual([project.id]);
    expect(writer.check(project.id, false)).toMatchObject({ bytes: expect.any(Number) });
    expect(cached()).toEqual(ids.map(serialOf));
  });

  test("the row of a deleted memory is wiped, also by a thread that knows nothing yet", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    write(...capacities);
    await call("DELETE", `/v1/memories/${ids[1]}`);
    writer.wipeDeleted(project.id);
    expect(cached()).toEqual(serials.filter((_, at) => at !== 1));
    expect(isAnywhere(serials[1] ?? 0)).toBe(false);
    reopen();
    await call("DELETE", `/v1/memories/${ids[4]}`);
    writer.wipeDeleted(project.id);
    expect(cached()).toEqual(serials.filter((_, at) => at !== 1 && at !== 4));
    expect(isAnywhere(serials[4] ?? 0)).toBe(false);
    expect(isAnywhere(serials[5] ?? 0)).toBe(true);
  });

  test("the tags of a deleted memory are wiped, unless another memory has them", async () => {
    const ids = await createSome(3, { tags: ["shared-tag"] });
    ids.push(await create("the only one", { tags: ["lonely-tag"] }));
    write(...capacities);
    const size = sizeOf();
    await call("DELETE", `/v1/memories/${ids[0]}`);
    await call("DELETE", `/v1/memories/${ids[3]}`);
    writer.wipeDeleted(project.id);
    expect(hasBytes(folder, "lonely-tag")).toBe(false);
    expect(sizeOf()).toBe(size);
    expect(cached()).toEqual(ids.slice(1, 3).map(serialOf));
    expect(openCacheFiles(join(folder, project.id)).manifest.tagSets).toEqual([[1, '["shared-tag"]']]);
  });

  test("tags whose wiping a crash prevented, and former tags of changed memories, are wiped by the next start", async () => {
    const ids = [
      await create("one", { tags: ["deleted-tag"] }),
      await create("two", { tags: ["former-tag"] }),
    ];
    write(...capacities);
    await call("DELETE", `/v1/memories/${ids[0]}`);
    await call("PUT", `/v1/memories/${ids[1]}`, { tags: ["present-tag"] });
    reopen();
    expect(writer.check(project.id, true)).not.toBeNull();
    expect(hasBytes(folder, "deleted-tag")).toBe(false);
    expect(hasBytes(folder, "former-tag")).toBe(false);
    expect(cached()).toEqual([serialOf(ids[1] ?? "")]);
  });

  test("tags of a memory that is deleted while its project is written do not get into the manifest", async () => {
    const ids = [await create("one", { tags: ["kept-tag"] }), await create("two", { tags: ["deleted-tag"] })];
    const { draft, manifest } = stateOf();
    writer.begin(draft);
    const copied = images(...capacities);
    const [only = null] = copied.length === 1 ? copied : [];
    const written = only === null ? copied.map((image) => writer.write(project.id, image) ?? "") : [];
    await call("DELETE", `/v1/memories/${ids[1]}`);
    writer.wipeDeleted(project.id);
    expect(writer.publish(project.id, manifest, written, only)).toHaveLength(capacities.length);
    expect(hasBytes(folder, "deleted-tag")).toBe(false);
    expect(hasBytes(folder, "kept-tag")).toBe(true);
  });

  test("a delete whose wiping a crash prevented is wiped by the next start", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    write(...capacities);
    await call("DELETE", `/v1/memories/${ids[2]}`);
    reopen();
    expect(writer.check(project.id, false)).not.toBeNull();
    expect(cached()).toEqual(serials.filter((_, at) => at !== 2));
    expect(isAnywhere(serials[2] ?? 0)).toBe(false);
  });

  test("a row of which a power loss left a part is removed by the next start", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    write(...capacities);
    const path = join(folder, project.id);
    const before = new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name))]));
    await call("DELETE", `/v1/memories/${ids[1]}`);
    writer.wipeDeleted(project.id);
    for (const [name, content] of before) {
      if (content.length < 64 * dimensions) continue;
      // The last view has the codes.
      const codesAt = content.length - 64 * dimensions;
      const wiped = readFileSync(join(path, name));
      wiped.set(content.subarray(codesAt), codesAt);
      writeFileSync(join(path, name), wiped);
    }
    expect(isAnywhere(serials[1] ?? 0)).toBe(true);
    reopen();
    expect(writer.check(project.id, false)).toBeNull();
    expect(cached()).toBeNull();
  });

  test("a file in the place of the folder of all projects lets a delete be answered", async () => {
    const ids = await createSome(2);
    write(...capacities);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "not a folder");
    await call("DELETE", `/v1/memories/${ids[1]}`);
    expect(() => writer.wipeDeleted(project.id)).not.toThrow();
  });

  test("the previous content of a changed memory is wiped by an erasure and by the next start", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    write(...capacities);
    await call("PUT", `/v1/memories/${ids[0]}`, { importance: 0.9 });
    await call("PUT", `/v1/memories/${ids[3]}`, { content: `${project.id} another fact` });
    await create(`${project.id} a new fact`);
    writer.check(project.id, true);
    // It catches up with the rest.
    expect(cached()).toEqual(serials.filter((_, at) => at !== 3));
    expect(isAnywhere(serials[3] ?? 0)).toBe(false);
  });

  test("a delete by tags wipes, and a delete of a type removes all", async () => {
    const kept = await createSome(3);
    const tagged = await create(`${project.id} tagged`, { tags: ["t"] });
    await create(`${project.id} a rule`, { memory_type: "rule" });
    const rule = serialOf(tagged) + 1;
    write(...capacities);
    await call("DELETE", "/v1/memories", { tags: ["t"] });
    writer.wipeDeleted(project.id);
    expect(cached()).toEqual([...kept.map(serialOf), rule]);
    await call("DELETE", "/v1/memories", { memory_type: "rule" });
    writer.wipeDeleted(project.id);
    expect(cached()).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a delete of a type whose wiping a crash prevented is found by the next start", async () => {
    await createSome(3);
    write(...capacities);
    await call("DELETE", "/v1/memories", { memory_type: "fact" });
    reopen();
    expect(writer.check(project.id, false)).toBeNull();
    expect(cached()).toBeNull();
  });

  test("a project that was deleted leaves nothing", async () => {
    await createSome(3);
    write(...capacities);
    await app.administer(
      (await import("../../../../src/calls/operations/access/project-operations.ts")).deleteProject,
      {
        project: project.id,
      },
    );
    writer.wipeDeleted(project.id);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a removal that is no longer stored is noticed", async () => {
    const ids = await createSome(4);
    write(...capacities);
    await call("DELETE", `/v1/memories/${ids[2]}`);
    const shell = openWriting({ path: locate(app.config.dataDir).database, runtime });
    shell.exec("DELETE FROM memory_removal");
    shell.close();
    reopen();
    expect(writer.check(project.id, false)).toBeNull();
    expect(cached()).toBeNull();
  });

  test("files that cannot be wiped are removed", async () => {
    const ids = await createSome(4);
    write(...capacities);
    const path = join(folder, project.id);
    for (const name of readdirSync(path)) {
      const content = readFileSync(join(path, name));
      // The last view: codes of free rows, so that only a check tells.
      for (const at of [content.length - 1, content.length - 64 * dimensions]) content[at] = 77;
      writeFileSync(join(path, name), content);
    }
    await call("DELETE", `/v1/memories/${ids[0]}`);
    await call("DELETE", `/v1/memories/${ids[3]}`);
    writer.wipeDeleted(project.id);
    expect(cached()).toBeNull();
  });
});

describe("while files are written", () => {
  test("a memory that is deleted before its block is written does not get into the file", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    const { draft, manifest } = stateOf();
    const buffers = images(64, 64);
    writer.begin(draft);
    await call("DELETE", `/v1/memories/${ids[0]}`);
    writer.wipeDeleted(project.id);
    const blocks = buffers.map((image) => writer.write(project.id, image) ?? "");
    expect(isAnywhere(serials[0] ?? 0)).toBe(false);
    // After the block was written, and before the manifest is.
    await call("DELETE", `/v1/memories/${ids[1]}`);
    writer.wipeDeleted(project.id);
    expect(isAnywhere(serials[1] ?? 0)).toBe(false);
    expect(writer.publish(project.id, manifest, blocks, null)).toEqual(blocks);
    expect(cached()).toEqual(serials.slice(2));
    await call("DELETE", `/v1/memories/${ids[5]}`);
    writer.wipeDeleted(project.id);
    expect(cached()).toEqual(serials.slice(2, 5));
  });

  test("a memory that is deleted before the only block is published does not get into the file", async () => {
    const ids = await createSome(3);
    const serials = ids.map(serialOf);
    const { draft, manifest } = stateOf();
    const [only = null] = images(64);
    writer.begin(draft);
    await call("DELETE", `/v1/memories/${ids[0]}`);
    writer.wipeDeleted(project.id);
    expect(writer.publish(project.id, manifest, [], only)).toHaveLength(1);
    expect(cached()).toEqual(serials.slice(1));
    expect(isAnywhere(serials[0] ?? 0)).toBe(false);
  });

  test("blocks that did not change are kept, and wiped through their next manifest", async () => {
    const ids = await createSome(6);
    const serials = ids.map(serialOf);
    write(64, 64);
    const { draft, manifest } = stateOf();
    const [first = ""] = writer.begin(draft) ?? [];
    const [, image] = images(64, 64);
    const second = writer.write(project.id, image ?? new SharedArrayBuffer(0)) ?? "";
    await call("DELETE", `/v1/memories/${ids[0]}`);
    writer.wipeDeleted(project.id);
    expect(writer.publish(project.id, manifest, [first, second], null)).toEqual([first, second]);
    expect(cached()).toEqual(serials.slice(1));
    expect(readdirSync(join(folder, project.id)).toSorted()).toEqual(
      [`${first}.block`, `${second}.block`, "index"].toSorted(),
    );
  });

  test("a block that somebody has removed is not kept", async () => {
    const ids = await createSome(4);
    write(64, 64);
    const [first = "", second = ""] = writer.begin(stateOf().draft) ?? [];
    rmSync(join(folder, project.id, `${first}.block`));
    expect(writer.begin(stateOf().draft)).toEqual([second]);
    expect(writer.publish(project.id, stateOf().manifest, [first, second], null)).toBeNull();
    expect(cached()).toBeNull();
    write(64, 64);
    expect(cached()).toEqual(ids.map(serialOf));
  });

  test("a bulk delete ends it, and nothing is left", async () => {
    await createSome(4);
    write(64, 64);
    const { draft, manifest } = stateOf();
    const buffers = images(64, 64);
    writer.begin(draft);
    const first = writer.write(project.id, buffers[0] ?? new SharedArrayBuffer(0)) ?? "";
    await call("DELETE", "/v1/memories");
    writer.wipeDeleted(project.id);
    expect(readdirSync(folder)).toEqual([]);
    expect(writer.write(project.id, buffers[1] ?? new SharedArrayBuffer(0))).toBeNull();
    expect(writer.publish(project.id, manifest, [first], null)).toBeNull();
    expect(cached()).toBeNull();
  });

  test("a bulk delete that is not wiped yet ends it, too", async () => {
    await createSome(4);
    const { draft, manifest } = stateOf();
    const [only = null] = images(64);
    writer.begin(draft);
    await call("DELETE", "/v1/memories");
    expect(writer.publish(project.id, manifest, [], only)).toBeNull();
    writer.wipeDeleted(project.id);
    expect(cached()).toBeNull();
  });

  test("what was begun and given up is removed, at once and after a crash", async () => {
    const ids = await createSome(4);
    write(64, 64);
    const begin = () => {
      writer.begin(stateOf().draft);
      writer.write(project.id, images(64, 64)[0] ?? new SharedArrayBuffer(0));
    };
    begin();
    expect(readdirSync(join(folder, project.id))).toHaveLength(4);
    writer.abandon(project.id);
    expect(readdirSync(join(folder, project.id))).toHaveLength(3);
    begin();
    reopen();
    writer.check(project.id, false);
    expect(readdirSync(join(folder, project.id))).toHaveLength(3);
    expect(cached()).toEqual(ids.map(serialOf));
  });
});

describe("files of another state", () => {
  test("are removed when an older database was restored, although its revisions are as high again", async () => {
    const path = locate(app.config.dataDir).database;
    const former = join(app.config.dataDir, "former.db");
    await createSome(3);
    await app.restart(() => copyFileSync(path, former));
    await create(`${project.id} of the lost days`);
    const { data } = await app.call("POST", "/v1/memories", {
      key: project.key,
      body: { content: `${project.id} deleted in the lost days`, memory_type: "fact" },
    });
    reopen();
    write(64);
    const lost = cached();
    await app.call("DELETE", `/v1/memories/${data.id}`, { key: project.key });
    writer.wipeDeleted(project.id);
    database.close();
    // As an operator who copies a file, and accepts that the ledger is older.
    const ledger = join(app.config.dataDir, "checkpoints");
    await app.restart(() => {
      copyFileSync(former, path);
      for (const name of readdirSync(ledger)) rmSync(join(ledger, name));
    });
    expect(app.complaints.splice(0).join("")).toContain("notes were missing in a file");
    open();
    const facts = createCacheFacts(database);
    const { manifest } = openCacheFiles(join(folder, project.id));
    const older = facts.project(project.id);
    if (older === null) throw new Error("the project is in the backup");
    expect(facts.mismatch(manifest, older)).toBe("they are of another database");
    for (let at = 0; at < 4; at++) await create(`${project.id} of the new days ${at}`);
    const newer = facts.project(project.id);
    if (newer === null) throw new Error("the project is in the backup");
    expect(newer.revision).toBeGreaterThanOrEqual(manifest.newestRevision);
    expect(lost).toHaveLength(5);
    // As many memories, with the same serials and revisions.
    expect(facts.mismatch(manifest, newer)).toBe("they are of another database");
    expect(writer.check(project.id, false)).toBeNull();
    expect(cached()).toBeNull();
  });

  test("are used when a version has written them that knew no passages, until all of another kind are deleted", async () => {
    await createSome(3);
    const { draft, manifest } = stateOf();
    const { passage: _, ...epochs } = manifest.epochs;
    expect(Object.keys(epochs).toSorted()).toEqual(["context", "fact", "rule"]);
    writer.begin({ ...draft, epochs });
    expect(writer.publish(project.id, { ...manifest, epochs }, [], images(64)[0] ?? null)).toHaveLength(1);
    await storePassages(locate(app.config.dataDir).database, { project: project.id, subject: null }, [
      passage("said since", normalise(new Float32Array(dimensions).fill(1))),
    ]);
    await call("DELETE", "/v1/memories", { origin: "conversation" });
    expect(writer.check(project.id, false)).not.toBeNull();
    expect(cached()).toHaveLength(3);
    await call("DELETE", "/v1/memories", { memory_type: "fact" });
    expect(writer.check(project.id, false)).toBeNull();
  });

  test("are removed when they are of another model or of another project", async () => {
    await createSome(2);
    const { draft, manifest } = stateOf();
    writer.begin(draft);
    const other = { ...manifest, model: "0".repeat(64) };
    expect(writer.publish(project.id, other, [], images(64)[0] ?? null)).toHaveLength(1);
    expect(writer.check(project.id, false)).toBeNull();
    write(64);
    const second = await app.createProject("custom");
    await app.call("GET", "/v1/memories", { key: second.key });
    mkdirSync(join(folder, second.id));
    copyFileSync(join(folder, project.id, "index"), join(folder, second.id, "index"));
    reopen();
    expect(writer.check(second.id, false)).toBeNull();
    expect(existsSync(join(folder, second.id))).toBe(false);
    expect(cached()).toHaveLength(2);
  });

  test("of projects that do not exist are removed, and foreign files stay", async () => {
    const stray = join(folder, "0".repeat(32));
    mkdirSync(stray, { recursive: true });
    writeFileSync(join(stray, `${"1".repeat(32)}.block`), "anything");
    writeFileSync(join(stray, "index"), "anything");
    writeFileSync(join(stray, "notes.txt"), "mine");
    mkdirSync(join(folder, "folder of somebody"));
    expect(writer.list()).toEqual(["0".repeat(32)]);
    expect(writer.check("0".repeat(32), false)).toBeNull();
    expect(readdirSync(stray)).toEqual(["notes.txt"]);
  });
});

test("the projects that were not used for the longest time are removed when all files become too large", async () => {
  const first = project;
  await createSome(2);
  write(64);
  const bytes = writer.check(project.id, false)?.bytes ?? 0;
  reopen(2.5 * bytes);
  writer.check(first.id, false);
  const others = [await app.createProject("custom"), await app.createProject("custom")];
  for (const [at, other] of others.entries()) {
    project = other;
    await createSome(2);
    write(64);
    if (at === 0) writer.use(first.id, Date.now() + 60_000);
  }
  // The one that was used last first.
  expect(writer.list()).toEqual([first.id, others[1]?.id ?? ""]);
});
