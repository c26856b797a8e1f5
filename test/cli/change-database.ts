// Changes and reads the database of a data directory that no process has open, as somebody with the file could.

import { Database } from "bun:sqlite";
import { join } from "node:path";

export function changeDatabase(dataDir: string, ...statements: string[]): void {
  const database = new Database(join(dataDir, "memledger.db"));
  for (const statement of statements) database.run(statement);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

export function readDatabase<Row>(dataDir: string, select: string): Row[] {
  const database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  try {
    return database.query<Row, []>(select).all();
  } finally {
    database.close();
  }
}
