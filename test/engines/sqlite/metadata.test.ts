// Tests what the database itself guarantees about metadata: what it refuses, whatever a program writes, and that the rows that searches use
// always agree with the memories.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { openSeam, runtime, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { makeDatabase } from "./schema-text.ts";

const createFolder = removeFoldersAfterEach();

describe("the database refuses", () => {
  test.each([
    ["a list", "[1]"],
    ["a text", '"a"'],
    ["text that is not JSON", "a"],
    ["more than 4,096 bytes", JSON.stringify({ a: "ä".repeat(2_045) })],
    ["an empty name", '{"":1}'],
    ["a name of 65 characters", JSON.stringify({ ["\u{1f600}".repeat(65)]: 1 })],
    ["U+0000 in a name", '{"a\\u0000":1}'],
  ])("%s", (_, metadata) => {
    const database = makeDatabase(10);
    database.pragma("foreign_keys = OFF");
    const insert = database.prepare(
      `INSERT INTO memory (id, project, memory_type, epoch, revision, content, importance, is_active, created_at, updated_at, metadata)
       VALUES (?, 1, 'fact', 0, 1, 'x', 0.5, 1, 0, 0, ?)`,
    );
    insert.run("kept", '{"kept":1}');
    expect(() => insert.run("refused", metadata)).toThrow();
    expect(() => database.prepare("UPDATE memory SET metadata = ?").run(metadata)).toThrow();
    expect(database.prepare("SELECT metadata FROM memory").pluck().all()).toEqual(['{"kept":1}']);
    expect(database.prepare("SELECT name FROM memory_metadata").pluck().all()).toEqual(["kept"]);
    database.close();
  });
});

describe("the rows of metadata", () => {
  /** Members of all stored memories, hidden ones too, and the rows about them. */
  const agree = ({ path }: Seam): number => {
    const database = openDatabase(path, runtime, { readonly: true });
    const stored = database
      .prepare<[], { project: number; metadata: string; memory_type: string; epoch: number; serial: number }>(
        "SELECT project, metadata, memory_type, epoch, serial FROM memory WHERE metadata IS NOT NULL",
      )
      .all();
    const expected = stored.flatMap(({ project, metadata, memory_type, epoch, serial }) =>
      Object.entries(JSON.parse(metadata)).map(([name, value]) => {
        const isShown = typeof value === "string" || typeof value === "number";
        const bytes = typeof value === "boolean" ? [value ? 1 : 0] : [];
        return JSON.stringify([project, name, isShown ? value : bytes, memory_type, epoch, serial]);
      }),
    );
    const rows = database.prepare<[], unknown[]>("SELECT * FROM memory_metadata").raw().all();
    database.close();
    const found = rows.map((row) =>
      JSON.stringify(row.map((value) => (value instanceof Uint8Array ? [...value] : value))),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    return rows.length;
  };

  test("follow every change of a memory, and are gone after the purge", async () => {
    const seam = await openSeam({ path: join(createFolder(), "memledger.db") });
    const member = await seam.project();
    const ids: string[] = [];
    for (let at = 0; at < 8; at++) {
      const made = {
        content: `m${at}`,
        vector: unitVector(at),
        type: at % 2 === 0 ? "fact" : "rule",
      } as const;
      const metadata = { number: at / 3, text: `t${at}`, even: at % 2 === 0, list: [at], none: null };
      const { data } = await member.create({ ...made, metadata: at < 6 ? metadata : null });
      ids.push(String(data.id));
    }
    expect(agree(seam)).toBe(30);
    const update = (at: number, fields: object) =>
      member.call("memory.update", { memory_id: ids[at] ?? "", ...fields });
    await update(0, { metadata: null });
    await update(1, { metadata: { number: 1, text: "t1", new: 2 ** 63 } });
    await update(2, { memory_type: "context" });
    await update(3, { memory_type: "context", metadata: { other: true } });
    await update(6, { importance: 1 });
    await update(7, { metadata: { first: "x" } });
    expect(agree(seam)).toBe(0 + 3 + 5 + 1 + 5 + 5 + 0 + 1);
    await member.call("memory.delete", { memory_id: ids[1] ?? "" });
    expect(agree(seam)).toBe(17);
    expect((await member.call("memory.delete_all", { metadata: { other: true } })).data).toEqual({
      deleted_count: 1,
    });
    expect(agree(seam)).toBe(16);
    await member.call("memory.delete_all", { memory_type: "rule" });
    agree(seam);
    await seam.letHousekeepingRun();
    expect(agree(seam)).toBe(10);
    await seam.administer("project.delete", { project: member.id });
    await seam.letHousekeepingRun();
    expect(agree(seam)).toBe(0);
    await seam.close();
  });

  test("leave nothing in the file when the memories and the records are erased", async () => {
    const path = join(createFolder(), "memledger.db");
    const seam = await openSeam({ path });
    const member = await seam.project();
    const secret = "customer-7741";
    for (let at = 0; at < 200; at++) {
      const metadata = { [`${secret} ${at}`]: at, value: `${secret} ${at} again`, gone: true };
      await member.create({ content: `memory ${at}`, vector: unitVector(at), metadata });
    }
    await member.call("memory.delete_all", { metadata: { gone: true } });
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
