// Tests what SQLite's index of words promises beside what every engine does: words of memories that are gone do not stay in the file,
// words are written with their memory or not at all, and older formats get them.

import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findDamage } from "../../../src/engines/sqlite/database-file/inspect.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { type Member, openMember, openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";

const createFolder = removeFoldersAfterEach();
const temporary = () => join(createFolder(), "memledger.db");

const far = unitVector(1_000);
const search = (member: Member, words: string) => member.search({ vector: far, words, topK: 50 });
/** What the words of the query find, best first. */
async function found(member: Member, words: string): Promise<string[]> {
  const hits = await search(member, words);
  return hits.filter(({ keyword }) => keyword > 0).map(({ memory }) => memory.content);
}

describe("words of memories that are gone", () => {
  const bytes = (path: string) =>
    Buffer.concat([path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file)));

  test("are not found and do not stay in the file of a stopped server", async () => {
    const path = temporary();
    const seam = await openSeam({ path });
    const member = await seam.project();
    const create = async (content: string, type: "fact" | "context" = "fact") =>
      String((await member.create({ content, vector: unitVector(content.length), type })).data.id);
    const [deleted, changed] = [await create("quokkas once"), await create("axolotl twice")];
    await create("pangolin three times", "context");
    await create("wombat stays");
    expect(await found(member, "quokkas axolotl pangolin wombat")).toHaveLength(4);

    await member.call("memory.delete", { memory_id: deleted });
    await member.call("memory.update", { memory_id: changed, content: "narwhal instead" }, unitVector(5));
    await member.call("memory.delete_all", { memory_type: "context" });
    expect((await found(member, "quokkas axolotl pangolin narwhal wombat")).sort()).toEqual([
      "narwhal instead",
      "wombat stays",
    ]);
    await seam.letHousekeepingRun();
    await seam.close();
    const file = bytes(path);
    for (const word of ["quokka", "axolotl", "pangolin"])
      expect({ word, stays: file.includes(word) }).toEqual({ word, stays: false });
    // The index holds stems in order of the alphabet, each without what it shares with the one before.
    for (const word of ["narwhal", "wombat"]) expect(file.includes(word)).toBe(true);
    expect(findDamage({ path, runtime })).toEqual([]);
    expect(seam.complaints).toEqual([]);
  });
});

describe("a memory and its words", () => {
  test("are written together or not at all", async () => {
    const path = temporary();
    const seam = await openSeam({ path });
    const member = await seam.project();
    await member.create({ content: "before", vector: unitVector(1) });
    const database = openDatabase(path, runtime);
    database.unsafeMode(true);
    await seam.letHousekeepingRun();
    const structure = database.prepare("SELECT block FROM memory_word_data WHERE id = 10").pluck().get();
    const write = database.prepare("UPDATE memory_word_data SET block = ? WHERE id = 10");
    write.run(Buffer.alloc(7, 255));
    const meanwhile = member.create({ content: "meanwhile", vector: unitVector(2) });
    expect(await meanwhile).toMatchObject({ status: 503 });
    write.run(structure);
    database.close();
    expect(await member.create({ content: "after", vector: unitVector(3) })).toMatchObject({ status: 201 });
    expect((await found(member, "before meanwhile after")).sort()).toEqual(["after", "before"]);
    await seam.close();
    expect(wordsLeft(path)).toEqual(["after", "befor"]);
    expect(findDamage({ path, runtime })).toEqual([]);
  });

  test("are undone together, and what came and went at once leaves nothing", async () => {
    const path = temporary();
    const seam = await openSeam({ path });
    const member = await seam.project({ memory_limit: 3 });
    const make = (content: string) => member.create({ content, vector: unitVector(content.length) });
    const kept = await make("kept");
    // In one group: the third and fourth are refused, and what is deleted was created in the same group.
    const answers = await Promise.all([
      ...[make("one"), make("kept"), make("two"), make("three")],
      member.call("memory.delete", { memory_id: String(kept.data.id) }),
      make("four"),
    ]);
    expect(answers.map(({ code }) => code)).toEqual([1000, 2104, 1000, 2101, 1000, 1000]);
    expect((await found(member, "kept one two three four")).sort()).toEqual(["four", "one", "two"]);
    await seam.close();
    expect(wordsLeft(path)).toEqual(["four", "on", "two"]);
  });
});

describe("a database of an older format", () => {
  const kept = join(import.meta.dir, "format-1.db");
  const projectId = "01a1fc62cfbb70d39c3768695e109589";
  const secret = "ml_uyO0FlWNoQXKnSg0XgRNKpoTadt0KWb5nuj6l1EVIYz";

  test.each([1, 2])("%i gets its words, and loses them with its memories", async (format) => {
    const path = temporary();
    copyFileSync(kept, path);
    if (format === 2) {
      const database = openDatabase(path, runtime);
      database.exec(
        readFileSync(
          join(import.meta.dir, "../../../src/engines/sqlite/schema/migrations/0002-ledger.sql"),
          "utf8",
        ),
      );
      database.pragma("user_version = 2");
      database.close();
    }
    const seam = await openSeam({ path });
    const member = await openMember(seam, projectId, secret);
    expect(await found(member, "release tuesday")).toEqual(["Releases go out on Tuesdays."]);
    await member.create({ content: "Tuesday is new", vector: unitVector(8) });
    expect(await found(member, "tuesday")).toHaveLength(2);
    await member.call("memory.delete_all", {});
    expect(await found(member, "tuesday")).toEqual([]);
    await seam.letHousekeepingRun();
    await seam.close();
    expect(wordsLeft(path)).toEqual([]);
    expect(seam.complaints).toEqual([]);
  });
});

function wordsLeft(path: string): unknown[] {
  const database = openDatabase(path, runtime);
  try {
    database.exec("CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, memory_word, row)");
    return database.prepare("SELECT term FROM word").pluck().all();
  } finally {
    database.close();
  }
}

test("damage to the index is found", async () => {
  const path = temporary();
  const seam = await openSeam({ path });
  const member = await seam.project();
  for (let at = 0; at < 20; at++)
    await member.create({ content: `word${at} common`, vector: unitVector(at) });
  await seam.close();
  const database = openDatabase(path, runtime);
  database.unsafeMode(true);
  database.exec("UPDATE memory_word_data SET block = zeroblob(64) WHERE id > 10");
  database.close();
  expect(findDamage({ path, runtime })).toEqual([expect.stringContaining("memory_word")]);
});
