// Attacks on the schema: the server is shown other records than a verifier, or fewer, while every row that the verifier reads is good.
// A condition on a compile option tells the server's SQLite from others.

import type { Database } from "../../src/platform/native/sqlite.ts";
import { broken, type Case } from "../audit/forge-case.ts";
import { setSchemaText } from "../audit/tamper.ts";

const schema = broken("schema", null);
const index = broken("index", null);
const isServer = "sqlite_compileoption_used('SOUNDEX')";

export const forgedSchemas: readonly Case[] = [
  {
    name: "lying-view",
    isRaw: true,
    lie: (database) =>
      replaceByView(
        database,
        "audit_entry",
        `SELECT number, chain, seq, id, at, action,
           CASE WHEN ${isServer} AND seq = 14 THEN 200 ELSE status END AS status, entry, hash, key, memory`,
      ),
    expected: schema,
  },
  {
    name: "endless-view",
    isRaw: true,
    lie: (database) =>
      database.exec(`ALTER TABLE audit_chain RENAME TO kept; CREATE VIEW audit_chain AS
        WITH RECURSIVE endless (number) AS (SELECT 1 UNION ALL SELECT number FROM endless)
        SELECT number, number AS id, number AS project, number AS genesis, number AS hash FROM endless`),
    expected: schema,
  },
  {
    name: "schema-view",
    isRaw: true,
    lie: (database) =>
      insertSchemaRow(database, "view", "sqlite_schema", "CREATE VIEW sqlite_schema AS SELECT 1"),
    expected: { verdict: "unusable" },
  },
  { name: "foreign-table", isRaw: true, lie: "CREATE TABLE more (bytes)", expected: schema },
  { name: "foreign-index", isRaw: true, lie: "CREATE INDEX more ON audit_entry (at)", expected: schema },
  { name: "statistics", isRaw: true, lie: "ANALYZE", expected: schema },
  {
    name: "foreign-trigger",
    isRaw: true,
    lie: `CREATE TRIGGER more AFTER INSERT ON audit_entry WHEN ${isServer}
      BEGIN DELETE FROM audit_payload WHERE entry = NEW.number; END`,
    expected: schema,
  },
  { name: "trigger-dropped", isRaw: true, lie: "DROP TRIGGER audit_entry_is_final", expected: schema },
  { name: "index-dropped", isRaw: true, lie: "DROP INDEX audit_entry_by_memory", expected: schema },
  {
    name: "generated-column",
    isRaw: true,
    lie: "ALTER TABLE audit_entry ADD COLUMN shown TEXT GENERATED ALWAYS AS (replace(entry, '404', '200'))",
    expected: schema,
  },
  {
    name: "column-type",
    isRaw: true,
    lie: (database) => changeText(database, "audit_payload", "salt  BLOB", "salt  ANY "),
    expected: schema,
  },
  {
    name: "format-of-other-tables",
    isRaw: true,
    lie: "PRAGMA user_version = 2",
    expected: schema,
  },
  // From here on every text is ours, and what it describes is not.
  {
    name: "partial-index",
    isRaw: true,
    lie: (database) => makeAnew(database, "audit_entry_by_action", " WHERE seq <> 15"),
    expected: index,
  },
  {
    name: "partial-unique-index",
    isRaw: true,
    lie: (database) => makeAnew(database, "audit_entry_by_seq", " WHERE seq < 30"),
    expected: index,
  },
  {
    name: "index-of-other-values",
    isRaw: true,
    lie(database) {
      const text = textOf(database, "audit_entry_by_action");
      database.exec("DROP INDEX audit_entry_by_action");
      database.exec(
        text.replace("(chain, action,", "(chain, replace(action, 'memory.create', 'memory.read'),"),
      );
      setSchemaText(database, "audit_entry_by_action", text);
    },
    expected: index,
  },
  {
    name: "text-in-number-column",
    isRaw: true,
    lie(database) {
      const text = textOf(database, "audit_chain");
      setSchemaText(database, "audit_chain", text.replace(") STRICT", ")"));
      database.exec("UPDATE audit_chain SET payloads_through = 'hidden' WHERE number = 2");
      setSchemaText(database, "audit_chain", text);
    },
    expected: index,
  },
];

function replaceByView(database: Database, table: string, select: string): void {
  database.pragma("legacy_alter_table = ON");
  database.exec(`ALTER TABLE ${table} RENAME TO kept; CREATE VIEW ${table} AS ${select} FROM kept`);
}

/** Makes an index with a condition, then takes the condition out of the schema. */
function makeAnew(database: Database, name: string, condition: string): void {
  const text = textOf(database, name);
  database.exec(`DROP INDEX ${name}`);
  database.exec(text + condition);
  setSchemaText(database, name, text);
}

function changeText(database: Database, name: string, from: string, to: string): void {
  setSchemaText(database, name, textOf(database, name).replace(from, to));
}

function textOf(database: Database, name: string): string {
  return String(database.prepare("SELECT sql FROM main.sqlite_master WHERE name = ?").pluck().get(name));
}

function insertSchemaRow(database: Database, type: string, name: string, sql: string): void {
  database.unsafeMode();
  database.pragma("writable_schema = ON");
  database.prepare("INSERT INTO sqlite_master VALUES (?, ?, ?, 0, ?)").run(type, name, name, sql);
}
