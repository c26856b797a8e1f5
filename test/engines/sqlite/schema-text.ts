// Makes the text of src/engines/sqlite/schema/schema.sql from the migrations. After a new migration: bun test/engines/sqlite/schema-text.ts

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exchangeTables } from "../../../src/engines/sqlite/memories/model-change.ts";
import { migrations } from "../../../src/engines/sqlite/schema/migrate.ts";
import { type SchemaObject, schemaQuery } from "../../../src/engines/sqlite/schema/schema-check.ts";
import { defineWords } from "../../../src/engines/sqlite/words/words.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { runtime } from "../../calls/storage/seam.ts";

/** How the program of formats 1 to 5 changed the model. */
export const createNext =
  "CREATE TABLE memory_vector_next (memory INTEGER PRIMARY KEY REFERENCES memory (serial) ON DELETE CASCADE, embedding BLOB NOT NULL) STRICT";
export const replaceByNext =
  "DROP TABLE memory_vector; ALTER TABLE memory_vector_next RENAME TO memory_vector";

/** The objects of a database as SQLite stores them. */
export function objectsOf(database: Database): readonly SchemaObject[] {
  return database.prepare<[], SchemaObject>(`${schemaQuery} ORDER BY rowid`).all();
}

/** An empty database of a format. */
export function makeDatabase(format: number): Database {
  const database = openDatabase(":memory:", runtime);
  defineWords(database);
  for (const migration of migrations.slice(0, format)) database.exec(migration);
  return database;
}

const title = `-- What a database of each format holds, byte for byte, as SQLite stores it. Made by test/engines/sqlite/schema-text.ts, never by hand.
-- Above each object: the formats that have it, its type, its name, its table, and when it is there, if not always.
`;

export function schemaText(): string {
  const schemas = migrations.map((_, index) => {
    using database = closing(makeDatabase(index + 1));
    return objectsOf(database.value);
  });
  const sections = schemas.flatMap((schema, index) =>
    schema
      .filter((object) => !has(schemas[index - 1], object))
      .map((object) => {
        const gone = schemas.findIndex((later, at) => at > index && !has(later, object));
        return toSection(object, `${index + 1}..${gone === -1 ? "" : gone}`, "");
      }),
  );
  return [title, ...sections, ...reembedSections()].join("\n");
}

/** A change of the model leaves its own forms of tables: in formats 1 to 5 it made a table, from format 6 on two tables exchange their names. */
function reembedSections(): string[] {
  using older = closing(makeDatabase(5));
  const before = objectsOf(older.value);
  older.value.exec(createNext);
  const during = objectsOf(older.value).filter((object) => !has(before, object));
  older.value.exec(replaceByNext);
  const after = objectsOf(older.value).filter((object) => !has(before, object));

  using database = closing(makeDatabase(migrations.length));
  const made = objectsOf(database.value);
  database.value.exec(exchangeTables);
  const once = objectsOf(database.value);
  database.value.exec(exchangeTables);
  const twice = objectsOf(database.value).filter((object) => !has(made, object));
  const onceMore = once.filter((object) => !has(made, object) && !has(after, object));
  return [
    ...during.map((object) => toSection(object, "1..5", ", during reembed")),
    ...after.map((object) => toSection(object, "1..", ", after reembed")),
    ...onceMore.map((object) => toSection(object, "6..", ", after reembed")),
    ...twice.map((object) => toSection(object, "6..", ", after two reembeds")),
  ];
}

function toSection({ type, name, table, sql }: SchemaObject, formats: string, state: string): string {
  return `-- ${formats} ${type} ${name} ON ${table}${state}\n${sql === null ? "" : `${sql}\n`}`;
}

function has(schema: readonly SchemaObject[] | undefined, object: SchemaObject): boolean {
  return schema?.some((other) => Bun.deepEquals(other, object)) ?? false;
}

function closing(value: Database): Disposable & { readonly value: Database } {
  return { value, [Symbol.dispose]: () => void value.close() };
}

if (import.meta.main)
  writeFileSync(join(import.meta.dir, "../../../src/engines/sqlite/schema/schema.sql"), schemaText());
