// Tests what the database itself guarantees about tags: no broken tag can be stored, whatever a program writes, and the rows that
// searches use always agree with the memories.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { openSeam, runtime, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { makeDatabase } from "./schema-text.ts";

const createFolder = removeFoldersAfterEach();

describe("the database refuses", () => {
  const open = () => {
    const database = makeDatabase(5);
    database.pragma("foreign_keys = OFF");
    const insert = database.prepare(
      `INSERT INTO memory (id, project, memory_type, epoch, revision, content, importance, is_active, created_at, updated_at, tags)
       VALUES (?, 1, 'fact', 0, 1, 'x', 0.5, 1, 0, 0, ?)`,
    );
    return { database, insert: (tags: string | null) => insert.run(crypto.randomUUID(), tags) };
  };
  const many = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => `tag ${at}`));

  test.each([
    ["an empty list", "[]"],
    ["17 tags", many(17)],
    ["an object", '{"a":"b"}'],
    ["a text", '"a"'],
    ["text that is not JSON", "a,b"],
    ["an empty tag", '[""]'],
    ["a tag of 65 characters", JSON.stringify(["\u{1f600}".repeat(65)])],
    ["a tag twice", '["a","b","a"]'],
    ["a number", "[1]"],
    ["null", "[null]"],
    ["a list in the list", '[["a"]]'],
    ["a line feed", '["a\\nb"]'],
    ["U+0000", '["a\\u0000b"]'],
    ["U+0001", '["\\u0001"]'],
    ["U+001F", '["a\\u001f"]'],
    ["U+007F", '["\\u007fa"]'],
    ["U+0080", '["a\\u0080a"]'],
    ["U+009F", '["a\\u009f"]'],
    ["a space at the start", '[" a"]'],
    ["a space at the end", '["a "]'],
    ["an ideographic space at the end", '["a\\u3000"]'],
    ["a line separator at the start", '["\\u2028a"]'],
  ])("%s", (_, tags) => {
    const { database, insert } = open();
    insert(null);
    insert('["kept"]');
    expect(() => insert(tags)).toThrow();
    const update = database.prepare("UPDATE memory SET tags = ? WHERE tags IS NOT NULL");
    expect(() => update.run(tags)).toThrow();
    expect(database.prepare("SELECT tags FROM memory ORDER BY serial").pluck().all()).toEqual([
      null,
      '["kept"]',
    ]);
    expect(database.prepare("SELECT tag FROM memory_tag").pluck().all()).toEqual(["kept"]);
    database.close();
  });

  test("nothing that the program writes", () => {
    const { database, insert } = open();
    const odd = ["a b", '"', "\\", "%_*?[]", "\u00a1", "\u200d", "\u{10ffff}", "'; DROP TABLE memory; --"];
    insert(JSON.stringify(odd));
    insert(JSON.stringify(["\u{1f600}".repeat(64)]));
    insert(many(16));
    expect(database.prepare("SELECT COUNT(*) FROM memory_tag").pluck().get()).toBe(odd.length + 1 + 16);
    database.close();
  });
});

describe("the rows of tags", () => {
  /** Tags of all stored memories, hidden ones too, and the rows about them. */
  const read = (path: string) => {
    const database = openDatabase(path, runtime, { readonly: true });
    const column = database
      .prepare(
        `SELECT m.project, j.value, m.memory_type, m.epoch, m.serial FROM memory m, json_each(m.tags) j
         ORDER BY 1, 2, 3, 4, 5`,
      )
      .raw()
      .all();
    const rows = database.prepare("SELECT * FROM memory_tag ORDER BY 1, 2, 3, 4, 5").raw().all();
    database.close();
    return { column, rows };
  };
  const agree = (seam: Seam) => {
    const { column, rows } = read(seam.path);
    expect(rows).toEqual(column);
    return rows.length;
  };

  test("follow every change of a memory, and are gone after the purge", async () => {
    const path = join(createFolder(), "memledger.db");
    const seam = await openSeam({ path });
    const member = await seam.project();
    const ids: string[] = [];
    for (let at = 0; at < 8; at++) {
      const made = {
        content: `m${at}`,
        vector: unitVector(at),
        type: at % 2 === 0 ? "fact" : "rule",
      } as const;
      const { data } = await member.create(at < 6 ? { ...made, tags: ["all", `own ${at}`] } : made);
      ids.push(String(data.id));
    }
    expect(agree(seam)).toBe(12);
    const update = (at: number, fields: object) =>
      member.call("memory.update", { memory_id: ids[at] ?? "", ...fields });
    await update(0, { tags: [] });
    await update(1, { tags: ["all", "new"] });
    await update(2, { memory_type: "context" });
    await update(3, { memory_type: "context", tags: ["other"] });
    await update(6, { importance: 1 });
    await update(7, { tags: ["first"] });
    expect(agree(seam)).toBe(0 + 2 + 2 + 1 + 2 + 2 + 0 + 1);
    await member.call("memory.delete", { memory_id: ids[1] ?? "" });
    expect(agree(seam)).toBe(8);
    expect((await member.call("memory.delete_all", { tags: ["other"] })).data).toEqual({ deleted_count: 1 });
    agree(seam);
    expect((await member.call("memory.delete_all", { memory_type: "rule" })).data).toEqual({
      deleted_count: 2,
    });
    agree(seam);
    await seam.letHousekeepingRun();
    expect(agree(seam)).toBe(4);
    await seam.administer("project.delete", { project: member.id });
    await seam.letHousekeepingRun();
    expect(agree(seam)).toBe(0);
    await seam.close();
  });

  test("cost nothing where no memory has tags", async () => {
    const path = join(createFolder(), "memledger.db");
    const seam = await openSeam({ path });
    const member = await seam.project();
    await member.create({ content: "plain", vector: unitVector(1) });
    await member.create({ content: "no tags", vector: unitVector(2), tags: [] });
    await seam.close();
    const database = openDatabase(path, runtime, { readonly: true });
    expect(database.prepare("SELECT COUNT(*) FROM memory WHERE tags IS NOT NULL").pluck().get()).toBe(0);
    expect(database.prepare("SELECT COUNT(*) FROM memory_tag").pluck().get()).toBe(0);
    database.close();
  });

  test("leave nothing in the file when the memories and the records are erased", async () => {
    const path = join(createFolder(), "memledger.db");
    const seam = await openSeam({ path });
    const member = await seam.project();
    const secret = "customer-7741";
    for (let at = 0; at < 200; at++) {
      const tags = [`${secret} ${at}`, `${secret} ${at} again`, "gone"];
      await member.create({ content: `memory ${at}`, vector: unitVector(at), tags });
    }
    await member.call("memory.delete_all", { tags: ["gone"] });
    await seam.letHousekeepingRun();
    await seam.close();
    const database = openDatabase(path, runtime);
    database.exec("PRAGMA secure_delete = ON");
    database.prepare("DELETE FROM audit_payload").run();
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    expect(readFileSync(path).includes(secret)).toBe(false);
  });
});
