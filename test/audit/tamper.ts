// Opens a database as somebody does who wants to change it without leaving a trace in its schema. Must never be used on a database
// that anything else in this process has open with another SQLite library.

import { type SchemaObject, schemaQuery } from "../../src/engines/sqlite/schema/schema-check.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "./ledger.ts";

/** Does the work without triggers and foreign keys; triggers and indexes are there again afterwards, byte for byte. */
export function tamper(path: string, work: (database: Database) => void): void {
  const database = openDatabase(path, runtime);
  // Allows writable_schema.
  database.unsafeMode();
  database.pragma("foreign_keys = OFF");
  database.pragma("synchronous = OFF");
  try {
    const objects = database.prepare<[], SchemaObject>(schemaQuery).all();
    for (const { type, name } of objects) if (type === "trigger") database.exec(`DROP TRIGGER ${name}`);
    work(database);
    const left = new Set(database.prepare("SELECT name FROM main.sqlite_master").pluck().all());
    for (const object of objects) if (!left.has(object.name)) restore(database, object);
  } finally {
    database.close();
  }
}

function restore(database: Database, { name, sql }: SchemaObject): void {
  try {
    database.exec(sql ?? "");
  } catch {
    // A unique index does not take what was done: it is made as another kind of index, and says that it is unique.
    database.exec(sql?.replace("CREATE UNIQUE INDEX", "CREATE INDEX") ?? "");
    setSchemaText(database, name, sql ?? "");
  }
}

/** Changes what the schema says of an object, and nothing else. */
export function setSchemaText(database: Database, name: string, sql: string): void {
  database.unsafeMode();
  database.pragma("writable_schema = ON");
  database.prepare("UPDATE sqlite_master SET sql = ? WHERE name = ?").run(sql, name);
  database.pragma("writable_schema = RESET");
}
