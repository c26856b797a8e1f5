// Opens databases of other times and origins: one of format 1, kept beside this file, goes on working; newer and foreign files are
// refused with a message that helps, and are not touched.

import { describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { dimensions, openMember, openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";

const createFolder = removeFoldersAfterEach();
const temporary = () => join(createFolder(), "memledger.db");

/** One project with a fact that was read, an inactive rule, an expired context and one that was deleted; nine records in its chain. Made at that time by the program itself. */
const kept = {
  file: join(import.meta.dir, "format-1.db"),
  projectId: "01a1fc62cfbb70d39c3768695e109589",
  secret: "ml_uyO0FlWNoQXKnSg0XgRNKpoTadt0KWb5nuj6l1EVIYz",
  fact: "01a1fc62cfc1703598546b9e6d8a2293",
  rule: "01a1fc62cfc4704f88d3b788e6ee2949",
  context: "01a1fc62cfc57047875e992920b4030c",
};

describe("a database of format 1", () => {
  test("works on with everything in it", async () => {
    const path = temporary();
    copyFileSync(kept.file, path);
    const seam = await openSeam({ path });
    const project = await openMember(seam, kept.projectId, kept.secret);
    expect(await project.call("memory.read", { memory_id: kept.fact })).toMatchObject({
      status: 200,
      data: {
        content: "Releases go out on Tuesdays.",
        memory_type: "fact",
        importance: 0.75,
        is_active: true,
      },
    });
    expect(await project.call("memory.read", { memory_id: kept.rule })).toMatchObject({
      data: { is_active: false },
    });
    const everything = { includeExpired: true, includeInactive: true };
    const found = await project.search({ vector: unitVector(3), ...everything });
    expect(found.map(({ memory }) => memory.id).sort()).toHaveLength(4);
    expect(found[0]).toMatchObject({ memory: { id: kept.context }, similarity: expect.closeTo(1, 6) });
    const again = { content: "Releases go out on Tuesdays.", vector: unitVector(1) };
    expect(await project.create(again)).toMatchObject({ code: 2104, data: { memory_id: kept.fact } });
    expect(await project.create({ content: "The freeze ends today.", vector: unitVector(3) })).toMatchObject({
      status: 201,
    });
    const tagged = await project.call("memory.update", { memory_id: kept.fact, tags: ["team"] });
    expect(tagged.data.tags).toEqual(["team"]);
    const filter = { tags: ["team"], match: "all" } as const;
    expect(
      (await project.search({ vector: unitVector(3), tags: filter })).map(({ memory }) => memory.id),
    ).toEqual([kept.fact]);
    expect(await project.call("memory.delete_all", {})).toMatchObject({ data: { deleted_count: 5 } });
    await seam.close();
    expect(seam.complaints).toEqual([]);

    const database = openDatabase(path, runtime, { readonly: true });
    expect(database.pragma("user_version", { simple: true })).toBe(formatVersion);
    const chains = database
      .prepare<[], { entries: number; last: number }>(
        `SELECT COUNT(*) AS entries, MAX(seq) AS last FROM audit_entry e JOIN audit_chain c ON c.number = e.chain
         WHERE c.project IS NOT NULL GROUP BY chain`,
      )
      .all();
    database.close();
    expect(chains).toEqual([{ entries: 15, last: 15 }]);
  });

  test("is brought to exactly the schema of a new one", async () => {
    const [old, fresh] = [temporary(), temporary()];
    copyFileSync(kept.file, old);
    for (const path of [old, fresh]) await openSeam({ path }).then((seam) => seam.close());
    expect(schemaOf(old)).toEqual(schemaOf(fresh));
  });
});

function schemaOf(path: string): unknown[] {
  const database = openDatabase(path, runtime, { readonly: true });
  try {
    return database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
  } finally {
    database.close();
  }
}

describe("a file that is refused stays as it is", () => {
  const foreign = "The database is not a memledger database. Set another data directory with --data-dir.";
  test.each<[string, (path: string) => void, string]>([
    ["random bytes", (path) => writeFileSync(path, crypto.getRandomValues(new Uint8Array(8_192))), foreign],
    ["a text", (path) => writeFileSync(path, "not a database\n".repeat(100)), foreign],
    ["another program's database", (path) => makeDatabase(path, ["CREATE TABLE t (x)"]), foreign],
    [
      "another program's database with our version",
      (path) =>
        makeDatabase(path, ["PRAGMA application_id = 7", "PRAGMA user_version = 1", "CREATE TABLE t (x)"]),
      foreign,
    ],
    [
      "a database of a newer program",
      (path) => {
        copyFileSync(kept.file, path);
        makeDatabase(path, [`PRAGMA user_version = ${formatVersion + 1}`]);
      },
      `The database has format ${formatVersion + 1}, but this version of memledger supports formats up to ${formatVersion}. Use the newer version that wrote it.`,
    ],
  ])("%s", async (_, write, message) => {
    const path = temporary();
    write(path);
    const [before, mode] = [readFileSync(path), statSync(path).mode];
    await expect(openSeam({ path })).rejects.toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode).toBe(mode);
    expect(readdirSync(join(path, ".."))).toEqual(["memledger.db"]);
  });
});

function makeDatabase(path: string, statements: readonly string[]): void {
  const database = openDatabase(path, runtime);
  for (const statement of statements) database.exec(statement);
  database.close();
}

test("an empty file becomes a database that only its owner can read", async () => {
  const path = temporary();
  const seam = await openSeam({ path });
  await seam.project();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
  await seam.close();
});

test("a stopped server leaves everything in the one file", async () => {
  const [path, copy] = [temporary(), temporary()];
  const seam = await openSeam({ path });
  const project = await seam.project();
  const { data } = await project.create({ content: "copied", vector: unitVector(1) });
  await project.search({ vector: unitVector(1) });
  await seam.close();
  copyFileSync(path, copy);
  const database = openDatabase(copy, runtime);
  expect(database.prepare("SELECT id FROM memory").pluck().all()).toEqual([data.id]);
  database.close();
});

test("another embedding model is refused while there are memories, and welcome without", async () => {
  const path = temporary();
  const first = await openSeam({ path });
  const project = await first.project();
  await project.create({ content: "embedded", vector: unitVector(1) });
  await first.close();
  const other = { id: "another-model", sha256: "f".repeat(64), dimensions };
  await expect(openSeam({ path, model: other })).rejects.toThrow(
    /contains 1 memory with embeddings.*--model.*reembed/s,
  );
  const administration = await openSeam({ path, model: null });
  expect((await administration.administer("project.list", {})).status).toBe(200);
  await administration.close();
  const second = await openSeam({ path });
  await (await openMember(second, project.id)).call("memory.delete_all", {});
  await Bun.sleep(200);
  await second.close();
  const third = await openSeam({ path, model: other });
  await third.close();
  expect(third.complaints).toEqual([]);
});
