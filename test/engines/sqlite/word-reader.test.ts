// Proves what a list of a word costs: only the pages behind its first revision are read, however long the list is.

import { afterEach, describe, expect, test } from "bun:test";
import { createWordReader } from "../../../src/engines/sqlite/words/reader.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";

const open: Database[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

const memories = 60_000;
const largest = 2 ** 40 - 1;

/** The word "common" in every memory of project 2, in one segment; "other" in those of projects 1 and 3. */
function createWords(): Database {
  const database = openDatabase(":memory:", runtime);
  open.push(database);
  database.exec(`
    CREATE VIRTUAL TABLE memory_word USING fts5 (words, content = '', columnsize = 0, detail = none);
    WITH RECURSIVE revision (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM revision WHERE n < ${memories})
    INSERT INTO memory_word (rowid, words) SELECT (2 << 40) + n, 'common' FROM revision;
    INSERT INTO memory_word (rowid, words) VALUES ((1 << 40) + 7, 'other common'), ((3 << 40) + ${largest}, 'other common');
    INSERT INTO memory_word (memory_word) VALUES ('optimize');
  `);
  return database;
}

describe("the list of a word", () => {
  test("has the revisions of one project from a revision on, in pieces", () => {
    const read = createWordReader(createWords());
    const revisions = (...args: Parameters<typeof read>) => [...read(...args)];
    expect(revisions(2, "common", memories - 2, 10)).toEqual([memories - 2, memories - 1, memories]);
    expect(revisions(2, "common", 5, 3)).toEqual([5, 6, 7]);
    expect(revisions(2, "common", memories + 1, 10)).toEqual([]);
    expect(revisions(2, "other", 0, 10)).toEqual([]);
    expect(revisions(3, "other", 0, 10)).toEqual([largest]);
    expect(revisions(1, "common", 0, 10)).toEqual([7]);
    expect(revisions(2, "common", 0, memories)).toEqual(Array.from({ length: memories }, (_, at) => at + 1));
  });

  test("is read from that revision on only", () => {
    const database = createWords();
    // Page numbers are the low 31 bits of a row; bit 36 marks the index of the pages.
    const leaves = "id > 10 AND (id >> 36) & 1 = 0";
    const pages = Number(
      database.prepare(`SELECT COUNT(*) FROM memory_word_data WHERE ${leaves}`).pluck().get(),
    );
    expect(pages).toBeGreaterThan(12);
    database.unsafeMode(true);
    database.exec(
      `DELETE FROM memory_word_data WHERE ${leaves} AND (id & 0x7FFFFFFF) BETWEEN 4 AND ${pages - 3}`,
    );
    const read = createWordReader(database);
    expect([...read(2, "common", memories, 10)]).toEqual([memories]);
    expect(() => read(2, "common", 0, memories)).toThrow("malformed");
    // A piece from the beginning needs no page behind it.
    expect([...read(2, "common", 0, 3)]).toEqual([1, 2, 3]);
  });
});
