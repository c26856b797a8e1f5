// Proves that the server works with no other schema than its own: the frozen text is what the migrations make, and whoever adds, drops
// or changes an object keeps the server from starting, with a message that names it.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "../../../src/engines/sqlite/database-file/inspect.ts";
import { exchangeTables } from "../../../src/engines/sqlite/memories/model-change.ts";
import { formatVersion, migrations } from "../../../src/engines/sqlite/schema/migrate.ts";
import {
  findSchemaDifference,
  schemaDigest,
  schemaVariants,
} from "../../../src/engines/sqlite/schema/schema-check.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { setSchemaText } from "../../audit/tamper.ts";
import { openSeam, runtime } from "../../calls/storage/seam.ts";
import { removeFoldersAfterEach } from "../../cleanup.ts";
import { createNext, makeDatabase, objectsOf, replaceByNext, schemaText } from "./schema-text.ts";

const createFolder = removeFoldersAfterEach();

const formats = Array.from({ length: formatVersion }, (_, index) => index + 1);

describe("the frozen schema", () => {
  test("is what the migrations make", () => {
    const frozen = join(import.meta.dir, "../../../src/engines/sqlite/schema/schema.sql");
    // When a migration is new: bun test/engines/sqlite/schema-text.ts
    expect(readFileSync(frozen, "utf8")).toBe(schemaText());
  });

  /** The state of a database after each step. */
  const statesAfter = (database: Database, format: number, steps: readonly string[]) => {
    const states = steps.map((step) => {
      database.exec(step);
      const objects = objectsOf(database);
      expect(findSchemaDifference(objects, format)).toBeNull();
      const digest = schemaDigest(objects);
      return schemaVariants(format).find((variant) => schemaDigest(variant.objects) === digest)?.state;
    });
    database.close();
    return states;
  };

  test.each(formats.filter((format) => format < 6))(
    "of format %d knows its database in every state of a change of the model",
    (format) => {
      const steps = ["", createNext, replaceByNext, createNext];
      expect(statesAfter(makeDatabase(format), format, steps)).toEqual([
        "as made",
        "during reembed",
        "after reembed",
        "during another reembed",
      ]);
    },
  );

  test.each(formats.filter((format) => format >= 6))(
    "of format %d knows its database after each change of the model",
    (format) => {
      const steps = ["", exchangeTables, exchangeTables, exchangeTables];
      expect(statesAfter(makeDatabase(format), format, steps)).toEqual([
        "as made",
        "after reembed",
        "after two reembeds",
        "after reembed",
      ]);
      const older = makeDatabase(5);
      older.exec(`${createNext};${replaceByNext}`);
      const migration = migrations.slice(5, format).join("\n");
      expect(statesAfter(older, format, [migration, exchangeTables, exchangeTables])).toEqual([
        "after reembed in an older format",
        "after reembed in an older format and in this one",
        "after reembed in an older format and in this one",
      ]);
    },
  );

  test("of an older format is migrated while a change of the model is interrupted", () => {
    const older = makeDatabase(5);
    older.exec(createNext);
    expect(statesAfter(older, formatVersion, [migrations.slice(5).join("\n")])).toEqual(["as made"]);
  });

  test("has the digests that the page about the format names", () => {
    const page = readFileSync(join(import.meta.dir, "../../../docs/engineer/AUDIT-FORMAT.md"), "utf8");
    const named: readonly string[] = page.match(/^\d+ [0-9a-f]{64}$/gm) ?? [];
    const expected = formats
      .slice(1)
      .flatMap((format) => schemaVariants(format).map(({ objects }) => `${format} ${schemaDigest(objects)}`));
    expect(named).toEqual(expected);
  });
});

test("the tables that Litestream creates are no difference", async () => {
  const path = join(createFolder(), "memledger.db");
  await openSeam({ path }).then((seam) => seam.close());
  const database = openDatabase(path, runtime);
  database.exec(`CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
    CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);
    INSERT INTO _litestream_seq (id, seq) VALUES (1, 1);`);
  expect(findSchemaDifference(objectsOf(database), formatVersion)).toBeNull();
  database.close();
  await openSeam({ path }).then((seam) => seam.close());
  expect(inspect({ path, runtime }).format).toBe(formatVersion);
});

describe("a database whose schema somebody changed", () => {
  test.each<[what: string, change: string | ((database: Database) => void), named: string]>([
    ["a view", "CREATE VIEW shown AS SELECT * FROM audit_entry", "the view shown is not part"],
    ["a table", "CREATE TABLE more (x)", "the table more is not part"],
    ["an index", "CREATE INDEX more ON memory (content)", "the index more is not part"],
    [
      "a trigger",
      "CREATE TRIGGER more AFTER INSERT ON audit_entry BEGIN SELECT 1; END",
      "the trigger more is not part",
    ],
    [
      "a table of Litestream with another column",
      "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER, more)",
      "the table _litestream_seq is not part",
    ],
    [
      "a view with the name of a table of Litestream",
      "CREATE VIEW _litestream_lock AS SELECT id FROM memory",
      "the view _litestream_lock is not part",
    ],
    [
      "a trigger on a table of Litestream",
      "CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER _litestream_lock AFTER INSERT ON _litestream_lock BEGIN SELECT 1; END",
      "the trigger _litestream_lock is not part",
    ],
    ["statistics", "ANALYZE", "the table sqlite_stat"],
    ["no index", "DROP INDEX audit_entry_by_key", "the index audit_entry_by_key is missing"],
    ["no trigger", "DROP TRIGGER audit_entry_stays", "the trigger audit_entry_stays is missing"],
    [
      "another trigger",
      "DROP TRIGGER audit_anchor_stays; CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor BEGIN SELECT 1; END",
      "the trigger audit_anchor_stays is not defined as memledger defines it",
    ],
    ["a column", "ALTER TABLE project ADD COLUMN more TEXT", "the table project is not defined"],
    [
      "another text for the same index",
      (database) =>
        setSchemaText(database, "memory_by_pool", "CREATE INDEX memory_by_pool ON memory (project)"),
      "the index memory_by_pool is not defined",
    ],
  ])("is refused and left as it is: %s", async (_, change, named) => {
    const path = join(createFolder(), "memledger.db");
    await openSeam({ path }).then((seam) => seam.close());
    const database = openDatabase(path, runtime);
    if (typeof change === "string") database.exec(change);
    else change(database);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    const before = readFileSync(path);
    await expect(openSeam({ path })).rejects.toThrow(named);
    expect(() => inspect({ path, runtime })).toThrow(/restore the last backup/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
