// Changes and reads the database of a data directory, as somebody with the file could. A server may have it open: its tasks commit at any
// moment, so each connection waits for the lock.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type PayloadRow, readPayload } from "../audit/read-payload.ts";

/** Without it, bun:sqlite reports SQLITE_BUSY at once. */
const lockWait = "PRAGMA busy_timeout = 30000";

export function changeDatabase(dataDir: string, ...statements: string[]): void {
  const database = new Database(join(dataDir, "memledger.db"));
  database.run(lockWait);
  for (const statement of statements) database.run(statement);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function readDatabase<Row>(dataDir: string, select: string): Row[] {
  const database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  try {
    database.run(lockWait);
    return database.query<Row, []>(select).all();
  } finally {
    database.close();
  }
}

/** Request bodies of the records of an action. */
export function requestsOf(dataDir: string, action: string): unknown[] {
  const rows = readDatabase<PayloadRow>(
    dataDir,
    `SELECT p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number WHERE e.action = '${action}'`,
  );
  return rows.map((row) => readPayload(row).request_body);
}

/** The id of the newest record of an action. */
export function idOf(dataDir: string, action: string): string | undefined {
  const rows = readDatabase<{ id: string }>(
    dataDir,
    `SELECT id FROM audit_entry WHERE action = '${action}' ORDER BY number DESC`,
  );
  return rows[0]?.id;
}
